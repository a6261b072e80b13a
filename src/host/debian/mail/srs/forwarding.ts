import { connect, type Socket } from 'node:net'
import { type Reply, SmtpStream } from '../../../smtp/stream.ts'
import { addressIn, textOf } from './addresses.ts'

export interface Recipient {
  /** As SMTP has it. */
  readonly address: string
  /** The address that it was sent to before it was forwarded. */
  readonly original: string
}

export interface ForwardingOptions {
  /** Where Postfix takes the mail back. */
  readonly socket: string
  readonly senderFor: (sender: string, original: string) => string
}

const failed: Reply = { code: 451, text: '4.3.0 The mail server does not take it back now' }
const noAddress = '501 5.1.7 An address has characters that are not printable'
const text = ({ code, text }: Reply): string => `${code} ${text}`

/** One message on its way back to Postfix under one sender. */
class Returned {
  readonly #stream: SmtpStream
  readonly #recipients: readonly Recipient[]
  /** What each recipient was answered. */
  readonly replies = new Map<Recipient, Reply>()

  constructor(socket: string, recipients: readonly Recipient[]) {
    this.#stream = new SmtpStream(connect(socket))
    this.#recipients = recipients
  }

  /** Up to the message itself; false if it takes it for no recipient. */
  async begin(sender: string, options: string): Promise<boolean> {
    try {
      const refused = await this.#greet(sender, options)
      if (refused) return this.#fail(refused)
      for (const one of this.#recipients) this.replies.set(one, await this.#command(`RCPT TO:<${one.address}>`))
      if (![...this.replies.values()].some(isTaken)) return this.#fail(undefined)
      const reply = await this.#command('DATA')
      return reply.code === 354 || this.#fail(reply)
    } catch {
      return this.#fail(failed)
    }
  }

  async #greet(sender: string, options: string): Promise<Reply | undefined> {
    const greeting = await this.#stream.reply()
    if (greeting.code !== 220) return failed
    for (const line of ['EHLO localhost', `MAIL FROM:<${sender}>${options}`]) {
      const reply = await this.#command(line)
      if (!isTaken(reply)) return reply
    }
    return undefined
  }

  #command(line: string): Promise<Reply> {
    this.#stream.say(line)
    return this.#stream.reply()
  }

  write = (bytes: Buffer): Promise<void> => this.#stream.write(bytes).catch(() => {})

  /** After the message's end. */
  async complete(): Promise<void> {
    const reply = await this.#stream.reply().catch(() => failed)
    for (const [one, answer] of this.replies) if (isTaken(answer)) this.replies.set(one, reply)
    this.#stream.say('QUIT')
    this.#stream.end()
  }

  /** Postfix drops a message whose end it has not seen. */
  destroy(): void {
    this.#stream.destroy()
  }

  #fail(reply: Reply | undefined): false {
    if (reply) for (const one of this.#recipients) this.replies.set(one, isError(reply) ? reply : failed)
    this.destroy()
    return false
  }
}

const isTaken = ({ code }: Reply): boolean => code >= 200 && code < 300
const isError = ({ code }: Reply): boolean => code >= 400

/** Takes mail that is forwarded from Postfix by LMTP, and hands it back under the sender that forwarded mail has. */
export async function serveForwarding(socket: Socket, options: ForwardingOptions): Promise<void> {
  const session = new Session(new SmtpStream(socket), options)
  try {
    await session.run()
  } catch {
    // Postfix tries again what was not answered.
  } finally {
    session.end()
    socket.destroy()
  }
}

class Session {
  readonly #stream: SmtpStream
  readonly #options: ForwardingOptions
  #sender: { readonly address: string; readonly options: string } | undefined
  #recipients: Recipient[] = []
  #returned: readonly Returned[] = []

  constructor(stream: SmtpStream, options: ForwardingOptions) {
    this.#stream = stream
    this.#options = options
  }

  async run(): Promise<void> {
    this.#stream.say('220 localhost LMTP')
    for (;;) {
      const line = await this.#stream.line()
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === 'QUIT') return this.#stream.say('221 2.0.0 Bye')
      await (this.#commands[verb] ?? (() => this.#stream.say('502 5.5.2 Unknown command')))(line)
    }
  }

  end(): void {
    for (const one of this.#returned) one.destroy()
  }

  readonly #commands: Readonly<Record<string, (line: string) => void | Promise<void>>> = {
    // With DSN it is given each recipient's first address, and with 8BITMIME nothing is converted that a seal covers.
    LHLO: () =>
      this.#stream.say('250-localhost', '250-PIPELINING', '250-8BITMIME', '250-DSN', '250 ENHANCEDSTATUSCODES'),
    RSET: () => this.#reset('250 2.0.0 Ok'),
    NOOP: () => this.#stream.say('250 2.0.0 Ok'),
    MAIL: (line) => this.#mail(line),
    RCPT: (line) => this.#recipient(line),
    DATA: () => this.#data(),
  }

  #reset(answer: string): void {
    this.#sender = undefined
    this.#recipients = []
    this.#stream.say(answer)
  }

  #mail(line: string): void {
    const [, address, parameters] = /^MAIL FROM:<(.*)>((?: [A-Z]+(?:=[\x21-\x7e]*)?)*)$/i.exec(line) ?? []
    if (address === undefined || !isPrintable(address)) return this.#stream.say(noAddress)
    this.#sender = { address, options: / BODY=8BITMIME\b/i.test(parameters!) ? ' BODY=8BITMIME' : '' }
    this.#recipients = []
    this.#stream.say('250 2.1.0 Ok')
  }

  #recipient(line: string): void {
    const [, address, parameters] = /^RCPT TO:<(.*)>((?: [A-Z]+(?:=[\x21-\x7e]*)?)*)$/i.exec(line) ?? []
    if (address === undefined || !isPrintable(address)) return this.#stream.say(noAddress)
    const [, original = ''] = / ORCPT=rfc822;(\S+)/i.exec(parameters!) ?? []
    this.#recipients.push({ address, original: plainText(original) })
    this.#stream.say('250 2.1.5 Ok')
  }

  async #data(): Promise<void> {
    const [sender, recipients] = [this.#sender, this.#recipients]
    if (!sender || recipients.length === 0) return this.#stream.say('503 5.5.1 No recipients')
    const all = [...this.#bySender(sender.address, recipients)].map(
      ([address, group]) => [address, new Returned(this.#options.socket, group)] as const,
    )
    this.#returned = all.map(([, one]) => one)
    const ready: Returned[] = []
    for (const [address, one] of all) if (await one.begin(address, sender.options)) ready.push(one)
    this.#stream.say('354 Go on')
    for await (const bytes of this.#stream.message()) for (const one of ready) await one.write(bytes)
    for (const one of ready) await one.complete()
    const replies = new Map(all.flatMap(([, one]) => [...one.replies]))
    this.#returned = []
    this.#sender = undefined
    this.#recipients = []
    this.#stream.say(...recipients.map((one) => text(replies.get(one) ?? failed)))
  }

  /** Recipients may have been forwarded by several domains. */
  #bySender(sender: string, recipients: readonly Recipient[]): ReadonlyMap<string, readonly Recipient[]> {
    const found = new Map<string, Recipient[]>()
    for (const one of recipients) {
      const address = this.#options.senderFor(sender, one.original)
      found.set(address, [...(found.get(address) ?? []), one])
    }
    return found
  }
}

const isPrintable = (address: string): boolean => /^[\x20-\x7e]*$/.test(address)

/** RFC 3461's xtext. */
const plainText = (written: string): string =>
  written.replaceAll(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

export interface ForwardingDomains {
  /** Whether mail of this domain leaves under its own senders. */
  readonly isOwn: (domain: string) => boolean
}

/** Own senders and bounces stay as they are; so does what no domain of this machine has forwarded. */
export function senderOf(
  sender: string,
  original: string,
  rewrite: (address: { local: string; domain: string }, by: string) => { local: string; domain: string },
  { isOwn }: ForwardingDomains,
): string {
  const [address, first] = [addressIn(sender), addressIn(original)]
  if (!address || !first || isOwn(address.domain) || !isOwn(first.domain)) return sender
  return textOf(rewrite(address, first.domain))
}
