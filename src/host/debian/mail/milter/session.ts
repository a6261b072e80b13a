import type { Duplex } from 'node:stream'
import { agreement, goOn, header, type Packet, Packets, refusal, texts, withoutHeader } from './protocol.ts'

/** What is known about a message being submitted. */
export interface Submitted {
  /** The SMTP login, if it came by SMTP. */
  readonly login: string | undefined
  readonly sender: string
  readonly recipients: readonly string[]
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The mail server's name for it; unknown before its end. */
  readonly queueId?: string | undefined
}

/** An SMTP refusal, or undefined to accept. */
type Verdict = string | undefined

/** Decides on messages, one after the other. */
export interface CheckMessage {
  sender(mail: Submitted): Verdict
  recipient(mail: Submitted): Verdict
  /** Whether to accept it, and the name of the key that signs it. */
  complete(mail: Submitted): { readonly refused: string } | { readonly signer?: string | undefined }
  /** The message was abandoned. */
  dropped(mail: Submitted): void
}

export const signerHeader = 'X-Panel-Signer'
/** The mail server adds it first, and only for us. */
export const uidHeader = 'X-Panel-Uid'
const address = (argument = ''): string => argument.replace(/^<(.*)>$/, '$1').toLowerCase()
/** Headers beyond this are ignored: what matters comes first. */
const MAX_HEADERS = 1000

/** Serves a mail server's connection as a milter. */
export function serveMilter(stream: Duplex, check: CheckMessage): void {
  const session = new Session(stream, check)
  const packets = new Packets()
  stream.on('error', () => {})
  stream.on('close', () => session.drop())
  stream.on('data', (bytes: Buffer) => {
    try {
      for (const packet of packets.take(bytes)) session.take(packet)
    } catch {
      stream.destroy()
    }
  })
}

class Session {
  readonly #stream: Duplex
  readonly #check: CheckMessage
  #macros: Readonly<Record<string, string>> = {}
  #mail: { login: string | undefined; sender: string; recipients: string[]; headers: [string, string][] } | undefined

  constructor(stream: Duplex, check: CheckMessage) {
    this.#stream = stream
    this.#check = check
  }

  take({ command, data }: Packet): void {
    this.#commands[command]?.(data)
  }

  drop(): void {
    if (this.#mail) this.#check.dropped(this.#mail)
    this.#mail = undefined
  }

  readonly #commands: Readonly<Record<string, (data: Buffer) => void>> = {
    O: (data) => this.#answer(agreement(data)),
    D: (data) => {
      const [, ...input] = texts(Buffer.concat([data.subarray(0, 1), Buffer.from('\0'), data.subarray(1)]))
      const pairs = input.flatMap((name, n) =>
        n % 2 === 0 ? [[name.replace(/^\{(.*)\}$/, '$1'), input[n + 1] ?? '']] : [],
      )
      this.#macros = { ...this.#macros, ...Object.fromEntries(pairs) }
    },
    M: (data) => {
      this.drop()
      this.#mail = { login: this.#login(), sender: address(texts(data)[0]), recipients: [], headers: [] }
      this.#say(this.#check.sender(this.#mail))
    },
    R: (data) => {
      const verdict = this.#mail && this.#check.recipient(this.#mail)
      if (verdict === undefined) this.#mail?.recipients.push(address(texts(data)[0]))
      this.#say(verdict)
    },
    L: (data) => {
      const [name = '', value = ''] = texts(data)
      if (this.#mail && this.#mail.headers.length < MAX_HEADERS) this.#mail.headers.push([name, value])
    },
    N: () => this.#answer(goOn),
    E: () => this.#end(),
    A: () => this.drop(),
    K: () => {
      this.drop()
      this.#macros = {}
    },
    Q: () => this.#stream.end(),
  }

  #login(): string | undefined {
    const { auth_authen: name } = this.#macros
    return name ? name.toLowerCase() : undefined
  }

  #end(): void {
    const mail = this.#mail
    this.#mail = undefined
    const verdict = mail ? this.#check.complete({ ...mail, queueId: this.#macros['i'] }) : {}
    // A sender's own `Received` may have made further ones: the last first, so that the numbers of the others stay.
    const uids = mail?.headers.filter(([name]) => name === uidHeader).length ?? 0
    for (let number = uids; number > 0; number--) this.#answer(withoutHeader(uidHeader, number))
    if ('refused' in verdict) return this.#say(verdict.refused)
    if (verdict.signer !== undefined) this.#answer(header(signerHeader, verdict.signer))
    this.#answer(goOn)
  }

  #say(verdict: Verdict): void {
    this.#answer(verdict === undefined ? goOn : refusal(verdict))
  }

  #answer(bytes: Buffer): void {
    this.#stream.write(bytes)
  }
}
