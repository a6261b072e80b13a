import type { AccountState } from '../driver.ts'
import { type DirSpec, type FileSpec, type Rendered, systemDir, systemFile } from './spec.ts'

const welcome = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Welcome</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color:#333}</style>
<h1>Welcome</h1>
<p>This site has just been set up. Its owner can replace this page by uploading an <code>index.html</code>.</p>
</html>
`

/** Where an account lives. */
export const homeOf = (username: string) => `home/${username}`
/** Where the daemons log for an account: outside its home, where it could plant a link. */
export const logsOf = (username: string) => `var/log/panel/${username}`
/** The account's line as a system user; it also says who holds the name. */
export const userLineOf = (username: string) => `etc/panel/users.d/${username}`

/** The uid in a system user's line, if it is one. */
export function uidOf(line: string): number | undefined {
  const uid = /^[a-z0-9]+:[x!]:([0-9]+):/.exec(line)?.[1]
  return uid === undefined ? undefined : Number(uid)
}

function userLine(account: AccountState): FileSpec {
  const { username, uid, suspended, shell } = account
  const [lock, login] = suspended ? ['!', '/usr/sbin/nologin'] : ['x', shell]
  return systemFile(userLineOf(username), 0o644, [`${username}:${lock}:${uid}:${uid}::/home/${username}:${login}`])
}

function tenantDirs(account: AccountState): DirSpec[] {
  const home = homeOf(account.username)
  const dir = (path: string, mode: number): DirSpec => ({ path, mode, uid: account.uid, gid: account.uid })
  return [
    dir(`${home}/tmp`, 0o700),
    dir(`${home}/mail`, 0o700),
    dir(`${home}/apps`, 0o750),
    dir(`${home}/sites`, 0o755),
    dir(`${home}/sites/${account.mainDomain}`, 0o755),
    dir(`${home}/sites/${account.mainDomain}/public`, 0o755),
  ]
}

function welcomePage(account: AccountState): FileSpec {
  const path = `${homeOf(account.username)}/sites/${account.mainDomain}/public/index.html`
  return { path, content: welcome, mode: 0o644, uid: account.uid, gid: account.uid, once: true }
}

function borders(account: AccountState): DirSpec[] {
  const { username, uid } = account
  return [
    { path: homeOf(username), mode: 0o710, uid, gid: 'www-data', border: true },
    { path: logsOf(username), mode: 0o750, uid: 'root', gid: uid, border: true },
  ]
}

/**
 * The system user and its home. Inside a suspended home nothing is touched: what its owner
 * put there must not be able to hold up the suspension.
 */
export function renderUser(account: AccountState): Rendered {
  if (account.suspended) return { dirs: borders(account), files: [userLine(account)] }
  return { dirs: [...borders(account), ...tenantDirs(account)], files: [userLine(account), welcomePage(account)] }
}

/** Directories above those of the accounts. */
export const homeDirs: readonly DirSpec[] = [
  systemDir('home', 0o711),
  systemDir('etc/panel/users.d', 0o755),
  systemDir('var/log/panel', 0o755),
]
