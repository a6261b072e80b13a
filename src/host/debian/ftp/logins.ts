import type { Run } from '../commands.ts'
import { Logins } from '../logins.ts'
import { scoreboard } from './places.ts'

interface Session {
  readonly pid: number
  readonly user?: string
}

/** Ends the FTP, FTPS and SFTP sessions of logins: each is a process of its own. */
export const ftpLogins = (run: Run, root?: string, kill = (pid: number) => void process.kill(pid, 'SIGTERM')): Logins =>
  new Logins({
    name: 'ftp-logins',
    folder: 'etc/panel/ftp/passwd.d',
    ...(root !== undefined && { root }),
    end: async (logins) => {
      for (const { pid, user } of await sessions(run))
        if (pid > 1 && user !== undefined && logins.includes(user)) end(pid, kill)
    },
  })

async function sessions(run: Run): Promise<readonly Session[]> {
  const told = await run('/usr/bin/ftpwho', ['-f', scoreboard, '-o', 'json'])
  const found = /^\{[\s\S]*\}/m.exec(told)?.[0]
  return found === undefined ? [] : ((JSON.parse(found) as { connections?: Session[] }).connections ?? [])
}

function end(pid: number, kill: (pid: number) => void): void {
  try {
    kill(pid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
