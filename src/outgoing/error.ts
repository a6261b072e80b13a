export type FailureKind = 'timeout' | 'dns' | 'connect' | 'tls' | 'blocked-address' | 'answer'

/** Why a request got no response. The message contains no address: customers see it. */
export class OutgoingError extends Error {
  readonly kind: FailureKind
  constructor(kind: FailureKind, cause?: unknown) {
    super(kind, { cause })
    this.name = 'OutgoingError'
    this.kind = kind
  }
}

/** An answer came, and is not one of HTTP. */
const answerCode = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_INFO|UND_ERR_RES)/

const tlsCode = /^(ERR_TLS|ERR_SSL|EPROTO$)|CERT|SIGNATURE|ISSUER|HOSTNAME_MISMATCH/

/** Classifies a request's error. Errors without a code are bugs of the panel, and pass unchanged. */
export function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof OutgoingError) return error
  if (signal.aborted) return new OutgoingError('timeout', error)
  const code = (error as { code?: unknown } | undefined)?.code
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return new OutgoingError('timeout', error)
  if (typeof code !== 'string') return error
  const isRefused = code === 'UND_ERR_SOCKET' && /^bad (?:response|upgrade)$/.test((error as Error).message)
  if (isRefused || answerCode.test(code)) return new OutgoingError('answer', error)
  return new OutgoingError(tlsCode.test(code) ? 'tls' : 'connect', error)
}
