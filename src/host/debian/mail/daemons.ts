import type { Run } from '../commands.ts'
import { signalDaemon } from '../processes.ts'
import { queueDir } from './places.ts'

/** Makes Postfix reread its maps. Its own `reload` also scans the whole queue. */
export async function reloadPostfix(run: Run, root = ''): Promise<void> {
  if (!hangUpPostfix(root)) await run('/usr/sbin/postfix', ['reload'])
}

/** Its processes exit when idle, and new ones reopen the log. */
export const hangUpPostfix = (root = ''): boolean =>
  signalDaemon({ program: 'master', pidFile: `${root}${queueDir}/pid/master.pid` }, 'SIGHUP')

/** Makes OpenDKIM reread its keys. */
export async function reloadOpendkim(run: Run, root = ''): Promise<void> {
  const daemon = { program: 'opendkim', pidFile: `${root}/run/opendkim/opendkim.pid` }
  if (!signalDaemon(daemon, 'SIGUSR1')) await run('/usr/bin/systemctl', ['reload', 'opendkim'])
}
