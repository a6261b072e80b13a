import type { AccountCore } from '../../contract/account.ts'
import { homeOf } from '../../homes/home-paths.ts'
import { part } from '../part.ts'
import { homeDir, nothing, systemDir, systemFile } from '../spec.ts'
import { checkFtp, type FtpLogin } from './state.ts'

export type { FtpState } from './state.ts'

const shell = '/bin/false'
const megabyte = 1024 * 1024
const home = '/'

/** The login named like the system user, without a password: `!` matches none. */
const ownLine = ({ username, uid }: AccountCore): string => `${username}:!:${uid}:${uid}::/home/${username}:${shell}`

function lineOf({ username, uid }: AccountCore, { login, hash, directory }: FtpLogin): string {
  const path = directory === home ? `/home/${username}` : `/home/${username}/${directory}`
  return `${login}:${hash}:${uid}:${uid}::${path}:${shell}`
}

/** A login's directory and its parents. */
function down(directory: string): string[] {
  const parts = directory === home ? [] : directory.split('/')
  return parts.map((_, n) => parts.slice(0, n + 1).join('/'))
}

/** The account's FTP logins. Suspended, it has none, and nothing in the home is touched. */
export const ftp = part({
  name: 'ftp',
  dirs: [
    systemDir('etc/panel/ftp', 0o755),
    systemDir('etc/panel/ftp/passwd.d', 0o700),
    systemDir('etc/panel/ftp/quotas.d', 0o700),
  ],
  check: checkFtp,
  render(core, { logins }) {
    if (core.suspended) return nothing
    const sorted = logins.toSorted((a, b) => (a.login < b.login ? -1 : 1))
    const lines = [ownLine(core), ...sorted.map((login) => lineOf(core, login))]
    const quotas = sorted.flatMap(({ login, quotaMb }) => (quotaMb ? [`${login} ${quotaMb * megabyte}`] : []))
    const paths = new Set(sorted.flatMap(({ directory }) => down(directory)))
    return {
      dirs: [...paths].map((path) => homeDir(core, `${homeOf(core.username)}/${path}`, 0o755)),
      files: [
        systemFile(`etc/panel/ftp/passwd.d/${core.username}`, 0o600, lines),
        ...(quotas.length > 0 ? [systemFile(`etc/panel/ftp/quotas.d/${core.username}`, 0o600, quotas)] : []),
      ],
    }
  },
})
