/** Where an account lives. */
export const homeOf = (username: string) => `home/${username}`
/** Whether a path lies in a home, where its owner may have put anything. */
export const isInHome = (path: string) => /^home\/[a-z0-9]+\/./.test(path)
/** Where what accounts had lies until it is deleted: on the disk that it was on, and root's. */
export const trashDir = 'home/.panel-trash'
export const logsTrash = 'var/log/panel/.trash'
/** Where the daemons log for an account: outside its home, where it could plant a link. */
export const logsOf = (username: string) => `var/log/panel/${username}`
/** The directory of an account's own that holds a file, outside of its home: it goes with the last of its files. */
export const ownDirOf = (path: string): string | undefined =>
  /^(?:etc\/panel\/mail\/(?:dkim|sieve)\.d\/[^/]+|etc\/systemd\/system\/[^/]+\.slice\.d)(?=\/)/.exec(path)?.[0]
/** The account's line as a system user; it also says who holds the name. */
export const userLineOf = (username: string) => `etc/panel/users.d/${username}`

/** The uid in a system user's line, if it is one. */
export function uidOf(line: string): number | undefined {
  const uid = /^[a-z0-9]+:[x!]:([0-9]+):/.exec(line)?.[1]
  return uid === undefined ? undefined : Number(uid)
}
