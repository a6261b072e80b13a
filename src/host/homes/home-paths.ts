/** An account's home. */
export const homeOf = (username: string) => `home/${username}`
/** Whether a path is inside a home, where its owner may have put anything. */
export const isInHome = (path: string) => /^home\/[a-z0-9]+\/./.test(path)
/** Where deleted accounts' files wait for removal: on the same disk as before, and owned by root. */
export const trashDir = 'home/.panel-trash'
export const logsTrash = 'var/log/panel/.trash'
/** Where daemons log for an account: outside its home, where it could plant a symlink. */
export const logsOf = (username: string) => `var/log/panel/${username}`
/** The account's own directory outside its home that contains a file: removed with its last file. */
export const ownDirOf = (path: string): string | undefined =>
  /^(?:etc\/panel\/mail\/(?:dkim|sieve)\.d\/[^/]+|etc\/systemd\/system\/[^/]+\.slice\.d)(?=\/)/.exec(path)?.[0]
/** The account's entry as a system user; it also records who holds the name. */
export const userLineOf = (username: string) => `etc/panel/users.d/${username}`

/** The uid in a system user's entry, if it is one. */
export function uidOf(line: string): number | undefined {
  const uid = /^[a-z0-9]+:[x!]:([0-9]+):/.exec(line)?.[1]
  return uid === undefined ? undefined : Number(uid)
}
