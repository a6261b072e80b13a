import { fstatSync, mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'

const folder = 'run/panel'
/** Named from its folder: the name of a socket has room for 107 bytes. */
const socket = 'agent.sock'

/** The socket that a parent handed its child as a descriptor; nothing where there is none. */
export function inherited(fd: number): Duplex | undefined {
  try {
    return fstatSync(fd).isSocket() ? new Socket({ fd, readable: true, writable: true }) : undefined
  } catch {
    return undefined
  }
}

/**
 * Waits until no other agent works below this root: one whose panel was killed may still be about to end. An agent that
 * listens on the socket is alive, for the kernel closes it with its process.
 */
export async function becomeAlone(root: string): Promise<Server> {
  mkdirSync(join(root, folder), { recursive: true, mode: 0o700 })
  process.chdir(join(root, folder))
  await otherEnds()
  rmSync(socket, { force: true })
  return listening()
}

/** Resolves when nothing listens, or what listened is gone. */
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
