import type { AccountState } from '../driver.ts'
import { type DirSpec, nothing, type Rendered, systemDir, systemFile } from './spec.ts'

/** The account's FTP logins. Its own has no password yet, and `!` matches none; suspended there are no lines. */
export function renderFtp({ username, uid, suspended }: AccountState): Rendered {
  if (suspended) return nothing
  const line = `${username}:!:${uid}:${uid}::/home/${username}:/bin/false`
  return { dirs: [], files: [systemFile(`etc/panel/ftp/passwd.d/${username}`, 0o600, [line])] }
}

export const ftpDirs: readonly DirSpec[] = [
  systemDir('etc/panel/ftp', 0o755),
  systemDir('etc/panel/ftp/passwd.d', 0o700),
]
