/** A message for users: why the certificate authority does not issue. */
export class AcmeError extends Error {
  /** The name it concerns, if it says. */
  readonly domain: string | undefined
  readonly type: string | undefined
  /** How long the authority asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  constructor(
    message: string,
    about: { domain?: string; type?: string | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    super(message)
    this.name = 'AcmeError'
    this.domain = about.domain
    this.type = about.type
    this.retryAfterMs = about.retryAfterMs
  }
}

const MAX_ERROR_LENGTH = 400

/** A foreign server's text, safe for a log. */
export const printable = (text: unknown): string =>
  typeof text === 'string'
    ? text
        .replace(/[\p{Cc}\s]+/gu, ' ')
        .trim()
        .slice(0, MAX_ERROR_LENGTH)
    : ''

interface AcmeRefusal {
  readonly type?: unknown
  readonly detail?: unknown
  readonly subproblems?: readonly { readonly identifier?: { readonly value?: unknown } }[]
}

/** The name at fault, if the document mentions only one. */
function nameIn({ subproblems }: AcmeRefusal): string | undefined {
  const names = Array.isArray(subproblems) ? subproblems.map((one) => one?.identifier?.value) : []
  return names.length === 1 && typeof names[0] === 'string' ? names[0] : undefined
}

const addressAdvice = 'Check that all A and AAAA records of the name lead to this server.'
const nameServerAdvice = 'Check that the NS records of the domain lead to name servers that have its zone from here.'

/** What to do, by the type of the error (RFC 8555, 6.7). */
const advice: Readonly<Record<string, string>> = {
  caa: 'Allow the authority in the CAA record of the name, or remove that record.',
  connection: 'It must reach this server on port 80: check the A and AAAA records of the name, and firewalls.',
  dns: 'Check the records of the name, and that its name servers answer.',
  unauthorized: addressAdvice,
  incorrectResponse: addressAdvice,
  rateLimited: 'It is tried again when the authority allows it.',
  rejectedIdentifier: 'The authority issues no certificates for that name: use another name, or an own certificate.',
  externalAccountRequired:
    'The authority requires an account that was opened with it: choose another one with acme_ca.',
}

interface Concerned {
  readonly domain?: string | undefined
  /** The authority looked for a TXT record. */
  readonly isByRecord?: boolean
  readonly retryAfterMs?: number | undefined
}

/** The error in a problem document of RFC 8555. */
export function refusalOf(what: string, body: AcmeRefusal | undefined, concerned: Concerned = {}): AcmeError {
  const domain = concerned.domain ?? nameIn(body ?? {})
  const type = typeof body?.type === 'string' ? body.type.replace('urn:ietf:params:acme:error:', '') : undefined
  const detail = printable(body?.detail) || type || 'no reason was given'
  const hint = adviceOn(type, concerned.isByRecord)
  return new AcmeError(`${what}: ${detail.replace(/\.$/, '')}.${hint ? ` ${hint}` : ''}`, {
    type,
    retryAfterMs: concerned.retryAfterMs,
    ...(domain === undefined ? {} : { domain }),
  })
}

function adviceOn(type = '', isByRecord = false): string | undefined {
  const hint = advice[type]
  return isByRecord && hint === addressAdvice ? nameServerAdvice : hint
}
