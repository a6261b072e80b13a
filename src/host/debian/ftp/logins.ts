import type { Run } from '../commands.ts'
import { Logins } from '../logins.ts'
import { endGently, programOf } from '../processes.ts'
import { scoreboard } from './places.ts'

interface Session {
  readonly pid: number
  readonly user?: string
}

/** Ends the FTP, FTPS and SFTP sessions of logins: each is a process, which takes itself off the list of sessions. */
export const ftpLogins = (run: Run, root?: string, end = endSession): Logins =>
  new Logins({
    name: 'ftp-logins',
    folder: 'etc/panel/ftp/passwd.d',
    ...(root !== undefined && { root }),
    end: async (logins) => {
      const open = await sessions(run)
      const theirs = open.filter(({ pid, user }) => pid > 1 && user !== undefined && logins.includes(user))
      await Promise.all(theirs.map(({ pid }) => end(pid)))
    },
  })

async function sessions(run: Run): Promise<readonly Session[]> {
  const told = await run('/usr/bin/ftpwho', ['-f', scoreboard, '-o', 'json'])
  const found = /^\{[\s\S]*\}/m.exec(told)?.[0]
  return found === undefined ? [] : ((JSON.parse(found) as { connections?: Session[] }).connections ?? [])
}

/** A session that was killed stays on the list for a while, and its number may be another's by now. */
async function endSession(pid: number): Promise<void> {
  if (programOf(pid) === 'proftpd') await endGently(pid)
}
