import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { someoneListens } from '../driver/listening.ts'
import { SetupError } from './error.ts'

/** Locks the machine for one setup; the kernel releases the lock with the process. */
export async function acquireLock(root: string): Promise<() => void> {
  const path = `${root}/run/panel-setup.sock`
  if (await someoneListens(path)) throw new SetupError('Another `panel host setup` is running.')
  rmSync(path, { force: true })
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  return () => void server.close()
}
