import type { Run } from '../commands.ts'
import { textOf } from '../fragments.ts'
import { programOf } from '../processes.ts'
import { queueDir } from './places.ts'

/** Has Postfix read its maps again. Its own `reload` looks through the whole queue besides. */
export async function reloadPostfix(run: Run, root = '/'): Promise<void> {
  const master = Number(textOf(`${root}${queueDir}/pid/master.pid`)?.trim())
  if (master > 1 && programOf(master) === 'master') process.kill(master, 'SIGHUP')
  else await run('/usr/sbin/postfix', ['reload'])
}
