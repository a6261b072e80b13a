import { lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { bad, type Check, ok } from './check.ts'

/** Checks that the local server's socket exists, is private to its owner, and accepts connections. */
export async function socketCheck(socket: string, start: string): Promise<Check> {
  const found = lstatSync(socket, { throwIfNoEntry: false })
  if (!found) return bad('socket', `No server is running: ${socket} does not exist.`, start)
  if (!found.isSocket()) return bad('socket', `${socket} is not a socket.`, `rm ${socket} && ${start}`)
  if (found.uid !== statSync(dirname(socket)).uid)
    return bad('socket', `${socket} belongs to another user (uid ${found.uid}) than its directory.`, start)
  if (found.mode & 0o077)
    return bad(
      'socket',
      `${socket} can be opened by other users, and any process that opens it acts as root.`,
      `chmod 600 ${socket}`,
    )
  const problem = await connecting(socket)
  if (problem) return bad('socket', `No server answers on ${socket} (${problem}).`, start)
  return ok('socket', `A server answers on ${socket}, and only its owner can open it.`)
}

const CONNECT_TIMEOUT_MS = 3000

/** Why connecting fails; undefined if it works. */
const connecting = (path: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = process.getBuiltinModule('node:net').connect({ path, timeout: CONNECT_TIMEOUT_MS })
    const end = (problem?: string): void => {
      socket.destroy()
      resolve(problem)
    }
    socket.on('connect', () => end())
    socket.on('timeout', () => end('timeout'))
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code))
  })
