import type { Run } from '../commands.ts'
import { Logins } from '../logins.ts'
import { endGently } from '../processes.ts'
import { entries, isOf } from './scoreboard.ts'
import { type Title, titleOf } from './title.ts'

export interface Sessions {
  readonly title?: Title
  readonly end?: (pid: number) => Promise<void>
}

/** Ends the FTP, FTPS and SFTP sessions of logins that were removed or whose password changed. */
export const ftpLogins = (run: Run, root?: string, sessions?: Sessions): Logins =>
  new Logins({
    name: 'ftp-logins',
    folder: 'etc/panel/ftp/passwd.d',
    ...(root !== undefined && { root }),
    end: (logins) => endSessions(run, logins, root, sessions),
  })

/** Each session is a process, which removes itself from the list. */
export async function endSessions(
  run: Run,
  logins: readonly string[],
  root = '/',
  { title = titleOf, end = endGently }: Sessions = {},
): Promise<void> {
  const open = await entries(run, root)
  const theirs = open.filter((entry) => logins.some((login) => isOf(login, entry, title)))
  await Promise.all(theirs.map(({ pid }) => end(pid)))
}
