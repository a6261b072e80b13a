import { mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { HostError } from '../../contract/error.ts'
import { someoneListens } from '../../driver/listening.ts'

const folder = 'run/panel'
/** Relative to its folder: a socket path is limited to 107 bytes. */
const socket = 'agent.sock'

/**
 * Waits until no other agent uses this root, or refuses it: one whose panel was killed may still be exiting. An agent
 * that listens on the socket is alive, for the kernel closes it with its process.
 */
export async function becomeAlone(root: string, another: 'waited for' | 'refused'): Promise<Server> {
  mkdirSync(join(root, folder), { recursive: true, mode: 0o700 })
  process.chdir(join(root, folder))
  if (another === 'refused' && (await someoneListens(socket)))
    throw new HostError('stage', `Another host agent already serves ${root}.`)
  await otherEnds()
  rmSync(socket, { force: true })
  return listening()
}

/** Resolves when nothing listens any more. */
const otherEnds = (): Promise<void> =>
  new Promise((resolve) => {
    const other = connect(socket)
    other.on('error', () => {}).on('close', () => resolve())
    other.resume()
  })

const listening = (): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }).once('error', reject)
    server.listen(socket, () => resolve(server.unref()))
  })
