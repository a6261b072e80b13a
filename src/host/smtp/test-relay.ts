import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import type { RelayTest } from '../contract/commands/mail.ts'
import { printable } from '../mail-queue/select.ts'
import { type Reply, SmtpStream } from './stream.ts'

const TIMEOUT_MS = 60_000
/** What Postfix trusts. */
const authorities = '/etc/ssl/certs/ca-certificates.crt'

export interface TestedRelay {
  readonly accepted: boolean
  /** What was sent, without secrets, and what the relay answered. */
  readonly answers: readonly string[]
}

interface Options {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
  /** A file with the certificates to trust. */
  readonly trusted?: string
}

/** Sends one message by a relay. It may answer anything, slowly or without end. */
export async function testRelay(
  test: RelayTest,
  { signal, timeoutMs = TIMEOUT_MS, trusted = authorities }: Options = {},
): Promise<TestedRelay> {
  const session = new RelaySession(test, trusted)
  const timeout = AbortSignal.timeout(timeoutMs)
  const end = () => session.destroy()
  const ending = AbortSignal.any([timeout, ...(signal ? [signal] : [])])
  ending.addEventListener('abort', end, { once: true })
  try {
    await session.run()
    return { accepted: true, answers: session.answers }
  } catch (error) {
    const late = timeout.aborted ? `It took more than ${timeoutMs / 1000} s.` : (error as Error).message
    return { accepted: false, answers: [...session.answers, printable(late)] }
  } finally {
    ending.removeEventListener('abort', end)
    session.destroy()
  }
}

class RelaySession {
  readonly #test: RelayTest
  readonly answers: string[] = []
  readonly #secure: ConnectionOptions
  #stream: SmtpStream

  constructor(test: RelayTest, trusted: string) {
    this.#test = test
    const { host, port, tls } = test
    const ca = existsSync(trusted) ? { ca: readFileSync(trusted) } : {}
    this.#secure = { host, servername: host, ...ca }
    this.#stream = new SmtpStream(tls === 'tls' ? connectTls({ ...this.#secure, port }) : connect({ host, port }))
  }

  destroy = (): void => this.#stream.destroy()

  async run(): Promise<void> {
    const { from, to, username, tls } = this.#test
    this.#expect(await this.#stream.reply(), 'connected', 220)
    const offered = tls === 'tls' ? await this.#greet() : await this.#startTls()
    if (username !== undefined) await this.#signIn(offered)
    await this.#command(`MAIL FROM:<${from}>`)
    await this.#command(`RCPT TO:<${to}>`)
    await this.#command('DATA', 354)
    this.#stream.say(...messageOf(this.#test), '.')
    this.#expect(await this.#stream.reply(), 'message', 250)
    this.#stream.say('QUIT')
  }

  #greet = (): Promise<Reply> => this.#command(`EHLO ${this.#test.hostname}`)

  async #startTls(): Promise<Reply> {
    await this.#greet()
    await this.#command('STARTTLS', 220)
    this.#stream = this.#stream.secured(this.#secure)
    return this.#greet()
  }

  async #signIn({ text }: Reply): Promise<void> {
    const { username = '', password = '' } = this.#test
    const methods = /\bAUTH[ =]([^\r\n]*)/i.exec(text)?.[1]?.toUpperCase().split(' ') ?? []
    if (methods.includes('PLAIN')) {
      this.#stream.say(`AUTH PLAIN ${base64(`\0${username}\0${password}`)}`)
      return this.#expect(await this.#stream.reply(), 'AUTH PLAIN', 235)
    }
    if (!methods.includes('LOGIN')) throw new Error('The relay offers no sign-in by PLAIN or LOGIN.')
    await this.#command('AUTH LOGIN', 334)
    this.#stream.say(base64(username))
    this.#expect(await this.#stream.reply(), 'user name', 334)
    this.#stream.say(base64(password))
    this.#expect(await this.#stream.reply(), 'password', 235)
  }

  async #command(line: string, expected = 250): Promise<Reply> {
    this.#stream.say(line)
    const reply = await this.#stream.reply()
    this.#expect(reply, line, expected)
    return reply
  }

  #expect({ code, text }: Reply, what: string, expected: number): void {
    this.answers.push(printable(`${what}: ${code} ${this.#withoutSecrets(text)}`))
    if (code !== expected) throw new Error('The relay refused it.')
  }

  /** A relay may repeat what it was sent. */
  #withoutSecrets(text: string): string {
    const { username = '', password } = this.#test
    if (password === undefined) return text
    const secrets = [base64(`\0${username}\0${password}`), base64(password), password]
    return secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text)
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const messageOf = ({ id, from, to, hostname, name, at }: RelayTest): string[] => [
  `From: <${from}>`,
  `To: <${to}>`,
  `Subject: Test of the SMTP relay ${name}`,
  `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
  `Message-ID: <${id}@${hostname}>`,
  'Auto-Submitted: auto-generated',
  '',
  `This message was sent by ${hostname} to test the SMTP relay ${name}.`,
]
