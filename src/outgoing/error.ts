export type FailureKind = 'timeout' | 'dns' | 'connect' | 'tls' | 'blocked-address'

/** Why a request got no response. The message contains no address: customers see it. */
export class OutgoingError extends Error {
  readonly kind: FailureKind
  constructor(kind: FailureKind, cause?: unknown) {
    super(kind, { cause })
    this.name = 'OutgoingError'
    this.kind = kind
  }
}

const tlsCode = /^(ERR_TLS|ERR_SSL|EPROTO$)|CERT|SIGNATURE|ISSUER|HOSTNAME_MISMATCH/

/** Classifies a request's error. Errors without a code are bugs of the panel, and pass unchanged. */
export function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof OutgoingError) return error
  if (signal.aborted) return new OutgoingError('timeout', error)
  const code = (error as { code?: unknown } | undefined)?.code
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return new OutgoingError('timeout', error)
  if (typeof code !== 'string') return error
  return new OutgoingError(tlsCode.test(code) ? 'tls' : 'connect', error)
}
