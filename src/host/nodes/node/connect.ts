import type { X509Certificate } from 'node:crypto'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import type { Clock } from './clock.ts'

/** Do not wait for an address that drops packets. */
const CONNECT_TIMEOUT_MS = 5000

export interface NodeAddress {
  readonly host: string
  readonly port: number
}

export const nodePort = 7712

/** `host:port`, `[2001:db8::1]:port`, or a host alone. */
export function placeOf(address: string): NodeAddress | undefined {
  const [, bracketed, plain, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:[\]/]+))(?::(\d{1,5}))?$/.exec(address) ?? []
  const host = bracketed ?? plain
  const place = { host: host ?? '', port: Number(port ?? nodePort) }
  return host !== undefined && place.port > 0 && place.port < 65_536 ? place : undefined
}

/** The other end was unreachable, or not the expected one: nothing was sent to it. */
export class Unreached extends Error {
  override readonly name = 'Unreached'
}

export interface Connecting {
  readonly address: string
  readonly clock: Clock
  /** The certificate that this end presents. */
  readonly own?: { readonly key: string; readonly cert: string }
  /** Returns why the presented certificate is not trusted. */
  readonly error: (presented: X509Certificate | undefined) => string | undefined
}

/** The peer's certificate is verified here, once the connection is secure. */
const secured: ConnectionOptions & { allowHalfOpen: true } = {
  minVersion: 'TLSv1.3',
  rejectUnauthorized: false,
  allowHalfOpen: true,
}

/** Connects to the control plane, and sends nothing before its certificate is verified. */
export function connectTo({ address, clock, own, error }: Connecting): Promise<TLSSocket> {
  const place = placeOf(address)
  if (!place) return Promise.reject(new Error(`${address} is not an address: give it as host:port.`))
  const socket = connect({ ...place, ...own, ...secured })
  return new Promise<TLSSocket>((resolve, reject) => {
    const late = clock.after(CONNECT_TIMEOUT_MS, () => give('did not answer within 5 seconds'))
    const give = (why: string): void => {
      late()
      socket.destroy()
      reject(new Unreached(`The panel at ${address} ${why}.`))
    }
    socket.once('error', ({ code, message }: NodeJS.ErrnoException) => give(`cannot be reached: ${code ?? message}`))
    socket.once('secureConnect', () => {
      const wrong = error(socket.getPeerX509Certificate())
      if (wrong) return give(`is not the one that was expected: ${wrong.replace(/\.$/, '')}`)
      late()
      socket.removeAllListeners('error').on('error', () => socket.destroy())
      resolve(socket)
    })
  })
}
