import type { Run } from '../commands.ts'
import { signalDaemon } from '../processes.ts'
import { queueDir } from './places.ts'

/** Has Postfix read its maps again. Its own `reload` looks through the whole queue besides. */
export async function reloadPostfix(run: Run, root = ''): Promise<void> {
  if (!hangUpPostfix(root)) await run('/usr/sbin/postfix', ['reload'])
}

/** Its processes end when they have nothing to do, and the next ones open its log anew. */
export const hangUpPostfix = (root = ''): boolean =>
  signalDaemon({ program: 'master', pidFile: `${root}${queueDir}/pid/master.pid` }, 'SIGHUP')

/** Has OpenDKIM read its keys again. */
export async function reloadOpendkim(run: Run, root = ''): Promise<void> {
  const daemon = { program: 'opendkim', pidFile: `${root}/run/opendkim/opendkim.pid` }
  if (!signalDaemon(daemon, 'SIGUSR1')) await run('/usr/bin/systemctl', ['reload', 'opendkim'])
}
