import type { Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { minute } from '../../shared/time.ts'

const MAX_LINE_BYTES = 8192
/** The end of a message, and what may be its beginning. */
const end = Buffer.from('\r\n.\r\n')
const IDLE_TIMEOUT_MS = 5 * minute

/** A connection that speaks SMTP or LMTP, in either role. */
export class SmtpStream {
  readonly #socket: Socket
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('error', () => {})
    socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy())
    this.#chunks = socket[Symbol.asyncIterator]()
  }

  /** The next line without its end; throws at the end of the connection. */
  async line(): Promise<string> {
    for (let at = this.#rest.indexOf('\n'); ; at = this.#rest.indexOf('\n')) {
      if (at >= 0) {
        const line = this.#rest.toString('latin1', 0, at).replace(/\r$/, '')
        this.#rest = this.#rest.subarray(at + 1)
        return line
      }
      if (this.#rest.length > MAX_LINE_BYTES) throw new Error('a line is too long')
      await this.#more()
    }
  }

  /** A message as it is sent, dots and its end included, so that it can be passed on unchanged. */
  async *message(): AsyncGenerator<Buffer> {
    // The line before it, which has been read.
    let passed = 2
    let pending: Buffer = Buffer.concat([end.subarray(0, 2), this.#rest])
    for (;;) {
      const at = pending.indexOf(end)
      const until = at < 0 ? Math.max(passed, pending.length - end.length + 1) : at + end.length
      if (until > passed) yield pending.subarray(passed, until)
      if (at >= 0) {
        this.#rest = pending.subarray(until)
        return
      }
      const from = Math.max(0, pending.length - end.length + 1)
      passed = until - from
      this.#rest = Buffer.alloc(0)
      await this.#more()
      pending = Buffer.concat([pending.subarray(from), this.#rest])
    }
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next()
    if (done) throw new Error('the connection was closed')
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
  }

  /** The next reply, its lines joined; throws unless it is one. */
  async reply(): Promise<Reply> {
    const lines: string[] = []
    for (;;) {
      const line = await this.line()
      const [, code, more, text] = /^([2-5]\d\d)([ -]?)(.*)$/.exec(line) ?? []
      if (code === undefined || lines.length > 100) throw new Error('the server does not speak SMTP')
      lines.push(text!)
      if (more !== '-') return { code: Number(code), text: lines.join(' ') }
    }
  }

  say(...lines: readonly string[]): void {
    this.#socket.write(lines.map((line) => `${line}\r\n`).join(''), 'latin1')
  }

  /** Waits until the other side takes more. */
  async write(bytes: Buffer): Promise<void> {
    if (this.#socket.destroyed) throw new Error('the connection was closed')
    if (this.#socket.write(bytes)) return
    await new Promise<void>((resolve) => {
      const go = () => {
        this.#socket.off('drain', go).off('close', go)
        resolve()
      }
      this.#socket.once('drain', go).once('close', go)
    })
  }

  /** The same connection, encrypted from now on; nothing that came before may count as if it were. */
  secured(options: ConnectionOptions): SmtpStream {
    if (this.#rest.length > 0) throw new Error('the server sent more than its answer before TLS began')
    return new SmtpStream(connectTls({ ...options, socket: this.#socket }))
  }

  end(): void {
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

export interface Reply {
  readonly code: number
  readonly text: string
}
