import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { bulkSocket } from '../protocol/socket.ts'
import type { Transport } from './transport.ts'

/** The agent as a service, which listens on a socket and outlives this process. */
export function socketTransport(path: string): Transport {
  return async () => {
    const stream = await connected(path)
    const ended = new Promise<string>((gone) =>
      stream.once('close', () => gone('The host agent closed the connection.')),
    )
    const bulk = () => connected(join(dirname(path), bulkSocket))
    return { stream, ended, bulk, kill: () => void stream.destroy() }
  }
}

function connected(path: string): Promise<Duplex> {
  const stream = connect({ path, allowHalfOpen: true })
  return new Promise((resolve, reject) => {
    const refused = ({ code, message }: NodeJS.ErrnoException) => reject(new Error(reasonOf(path, code ?? message)))
    stream.once('error', refused)
    stream.once('connect', () => {
      stream.off('error', refused)
      resolve(stream)
    })
  })
}

function reasonOf(path: string, code: string): string {
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return `The host agent is not running: nothing answers on ${path}.`
  if (code === 'EACCES') return `The server has no permission to use the socket of the host agent, ${path}.`
  return `The host agent cannot be reached on ${path}: ${code}.`
}
