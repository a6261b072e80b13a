import { chmodSync, chownSync, existsSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import { groupId } from '../../debian/names.ts'

/** Who may connect to the agent: root, and the group of the panel's server. */
const group = 'panel'
const mode = 0o660
/** Each transfer in flight has a connection of its own. */
const maxConnections = 256

/** Listens on a socket that only root and the panel's server can open; its mode is the only access check. */
export async function listenAt(path: string, connected: (stream: Duplex) => void): Promise<Server> {
  if (!existsSync(dirname(path))) throw new Error(`The folder ${dirname(path)} does not exist.`)
  rmSync(path, { force: true })
  const server = createServer({ allowHalfOpen: true }, connected)
  server.maxConnections = maxConnections
  return new Promise((resolve, reject) => {
    server.once('error', ({ message }) => reject(new Error(`${path}: ${message}.`)))
    // The umask keeps it closed until its owner and mode are set.
    server.listen(path, () => {
      open(path)
      resolve(server)
    })
  })
}

function open(path: string): void {
  const gid = process.getuid?.() === 0 ? groupId(group) : undefined
  if (gid !== undefined) chownSync(path, 0, gid)
  chmodSync(path, mode)
}
