import type { X509Certificate } from 'node:crypto'
import type { Agent } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { changedKey } from '../errors.ts'
import type { ServerTarget } from './target.ts'

const CONNECT_TIMEOUT_MS = 15_000

const sha256 = (bytes: Buffer): string => process.getBuiltinModule('node:crypto').hash('sha256', bytes)

/** A server's fingerprints: `sha256:<hex>` of its public key, and of its certificate. */
export interface PresentedKey {
  readonly key: string
  readonly certificate: string
  readonly name: string
  readonly validTo: string
}

/** The fingerprints of a connection's peer. Node returns the certificate only once. */
export function presentedBy(socket: TLSSocket): PresentedKey | undefined {
  const certificate = socket.getPeerX509Certificate()
  return certificate && described(certificate)
}

/** The fingerprints of a certificate and of its key. */
export function described(certificate: X509Certificate): PresentedKey {
  return {
    key: `sha256:${sha256(certificate.publicKey.export({ type: 'spki', format: 'der' }))}`,
    certificate: `sha256:${sha256(certificate.raw)}`,
    name: certificate.subject.replaceAll('\n', ', '),
    validTo: certificate.validTo,
  }
}

/**
 * Gives an agent's requests only connections whose server has proved the pinned key, so nothing is sent before. The
 * certificate of the key may be new.
 */
export function pinned(agent: Agent, target: ServerTarget, pin: string): Agent {
  const { connect } = process.getBuiltinModule('node:tls')
  agent.createConnection = (options, done) => {
    const socket = connect({ ...(options as object), rejectUnauthorized: false })
    const fail = (error: Error): void => {
      socket.destroy()
      done?.(error, socket)
    }
    socket.once('error', fail)
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => fail(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
    socket.once('secureConnect', () => {
      const presented = presentedBy(socket)
      if (presented?.key !== pin) return fail(changedKey(target, pin, presented?.key))
      socket.setTimeout(0).removeAllListeners('timeout').off('error', fail)
      done?.(null, socket)
    })
    return undefined
  }
  return agent
}
