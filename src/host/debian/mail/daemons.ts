import type { Run } from '../commands.ts'
import { signalDaemon } from '../processes.ts'
import { queueDir } from './places.ts'

/** Has Postfix read its maps again. Its own `reload` looks through the whole queue besides. */
export async function reloadPostfix(run: Run, root = ''): Promise<void> {
  const daemon = { program: 'master', pidFile: `${root}${queueDir}/pid/master.pid` }
  if (!signalDaemon(daemon, 'SIGHUP')) await run('/usr/sbin/postfix', ['reload'])
}

/** Has OpenDKIM read its keys again. */
export async function reloadOpendkim(run: Run, root = ''): Promise<void> {
  const daemon = { program: 'opendkim', pidFile: `${root}/run/opendkim/opendkim.pid` }
  if (!signalDaemon(daemon, 'SIGUSR1')) await run('/usr/bin/systemctl', ['reload', 'opendkim'])
}
