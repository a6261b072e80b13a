import type { AccountName } from '../contract/driver.ts'
import type { Run } from './commands.ts'
import { removeObjects } from './ipc-objects.ts'

const temporary = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock', '/var/lib/php/sessions']
const MAX_WAIT_MS = 3_600_000

/** Files that a user left in world-writable directories. The agent has private ones, so systemd does it. */
export async function clearTemporary(run: Run, { uid }: AccountName): Promise<void> {
  const find = ['/usr/bin/find', ...temporary, '-xdev', '-depth', '-uid', String(uid), '-delete']
  const words = ['--pipe', '--wait', '--collect', '--quiet', '--', ...find]
  await run('/usr/bin/systemd-run', words, { fine: [1], stage: 'remove', timeout: MAX_WAIT_MS })
  await removeObjects(run, uid)
}
