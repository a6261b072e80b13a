import type { HostService } from '../../contract/commands/bans.ts'

/** What a service says of a sign-in. */
export interface SignIn {
  readonly outcome: 'failed' | 'succeeded'
  readonly service: HostService
  readonly address: string
  /** The name that was tried; undefined if it is not a plain one. */
  readonly name: string | undefined
  /** How often, on this connection. */
  readonly times: number
  /** What tells the connection from others of the address, where the service says so. */
  readonly connection?: string
  /** Whether it ends the connection: it counts only if nothing before it on the connection did. */
  readonly isEnd?: true
}

/**
 * Services cut long lines: who chooses the name could have one end where it pleases. No line that this looks for comes near
 * this length unless its name is such a one.
 */
const MAX_LENGTH = 500

const plainName = /^[\w.@+-]{1,64}$/
const named = (name: string): string | undefined => (plainName.test(name) ? name : undefined)

/** Reads a line of a service; a name never reaches the place where the address is taken from. */
export function signInOf(unit: string, line: string): SignIn | undefined {
  if (line.length > MAX_LENGTH) return undefined
  return readers[unit]?.(line)
}

/** The address is the last of the line, and the name cannot follow it. */
const shell = {
  failed:
    /^Failed (?:password|keyboard-interactive\/pam) for (?:invalid user )?(.*) from ([\da-fA-F.:]+) port (\d+) ssh2$/,
  ended:
    /^(?:Connection (?:closed|reset) by|Disconnected from) (?:authenticating|invalid) user (.*) ([\da-fA-F.:]+) port (\d+) \[preauth\]$/,
  accepted: /^Accepted [\w/-]+ for ([\w.-]+) from ([\da-fA-F.:]+) port (\d+) ssh2(?:: |$)/,
} as const

function ofShell(line: string): SignIn | undefined {
  for (const kind of ['failed', 'ended', 'accepted'] as const) {
    const [, name = '', address = '', port = ''] = shell[kind].exec(line) ?? []
    if (address === '') continue
    const outcome = kind === 'accepted' ? 'succeeded' : 'failed'
    const from = { service: 'ssh', address, name: named(name), times: 1, connection: `${address} ${port}` } as const
    return { outcome, ...from, ...(kind === 'ended' && { isEnd: true as const }) }
  }
  return undefined
}

const mailServices = { imap: 'imap', pop3: 'pop3', managesieve: 'sieve' } as const

/** A name never contains commas or angle brackets: a line with such a name is not read at all. */
const mailFailed =
  /^(imap|pop3|managesieve)-login: [^<>]*\(auth failed, (\d{1,3}) attempts in \d+ secs\)[^<>]*: user=<([^<>, ]*)>, method=[\w-]+, rip=([\da-fA-F.:]+), lip=[\da-fA-F.:]+,[^<>]* session=<[\w+/]+>$/
const mailSucceeded =
  /^(imap|pop3|managesieve)-login: (?:Login|Logged in): user=<([^<>, ]*)>, method=[\w-]+, rip=([\da-fA-F.:]+), lip=[\da-fA-F.:]+,/

function ofMail(line: string): SignIn | undefined {
  const failed = mailFailed.exec(line)
  if (failed) {
    const [, service, times, name, address] = failed as unknown as [
      string,
      keyof typeof mailServices,
      string,
      string,
      string,
    ]
    return { outcome: 'failed', service: mailServices[service], address, name: named(name), times: Number(times) }
  }
  const [, service, name = '', address = ''] = mailSucceeded.exec(line) ?? []
  if (!service) return undefined
  const known = mailServices[service as keyof typeof mailServices]
  return { outcome: 'succeeded', service: known, address, name: named(name), times: 1 }
}

/** The client's address is before the name; ProFTPD does not look up its host name. */
const ftpFailed =
  /^[\w.:-]+ \([\w.:-]+\[([\da-fA-F.:]+)\]\) - USER (.*?)(?:: no such user found from | \(Login failed\): Incorrect password)/
const ftpSucceeded = /^[\w.:-]+ \([\w.:-]+\[([\da-fA-F.:]+)\]\) - USER ([\w.@-]+): Login successful/

function ofFtp(line: string): SignIn | undefined {
  const [, failed, name = ''] = ftpFailed.exec(line) ?? []
  if (failed) return { outcome: 'failed', service: 'ftp', address: failed, name: named(name), times: 1 }
  const [, address, login = ''] = ftpSucceeded.exec(line) ?? []
  return address ? { outcome: 'succeeded', service: 'ftp', address, name: named(login), times: 1 } : undefined
}

/** The client's name is one that its address proves, of letters, digits, dots and hyphens, or `unknown`. */
const smtpFailed =
  /^(\w{3} [ \d]\d [\d:]{8}) \S+ postfix\/[\w/-]*smtpd\[\d+\]: warning: [\w.-]+\[([\da-fA-F.:]+)\]: SASL [\w-]+ authentication failed: .*?(?:, sasl_username=(\S*))?$/

/** A line that was written earlier than this counts no more: the log may be read from far back. */
const MAX_AGE_MS = 60_000

/** A line of Postfix's log, whose file only Postfix writes. */
export function ofMailLog(line: string, now: number): SignIn | undefined {
  if (line.length > MAX_LENGTH) return undefined
  const [, at, address, name = ''] = smtpFailed.exec(line) ?? []
  if (!at || !address || isOld(at, now)) return undefined
  return { outcome: 'failed', service: 'smtp', address, name: named(name), times: 1 }
}

/** The log leaves out years: a line is of this year, or of the last days of the one before. */
function isOld(at: string, now: number): boolean {
  const written = Date.parse(`${at} ${new Date(now).getFullYear()}`)
  return !(Math.abs(now - written) <= MAX_AGE_MS)
}

const readers: Readonly<Record<string, (line: string) => SignIn | undefined>> = {
  'ssh.service': ofShell,
  'dovecot.service': ofMail,
  'proftpd.service': ofFtp,
}
export const units = Object.keys(readers)
