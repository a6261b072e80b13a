import { noState, part } from '../part.ts'
import { nothing, systemDir, systemFile } from '../spec.ts'

/** The account's FTP logins. Its own has no password yet, and `!` matches none; suspended there are no lines. */
export const ftp = part({
  name: 'ftp',
  dirs: [systemDir('etc/panel/ftp', 0o755), systemDir('etc/panel/ftp/passwd.d', 0o700)],
  check: noState,
  render({ username, uid, suspended }) {
    if (suspended) return nothing
    const line = `${username}:!:${uid}:${uid}::/home/${username}:/bin/false`
    return { dirs: [], files: [systemFile(`etc/panel/ftp/passwd.d/${username}`, 0o600, [line])] }
  },
})
