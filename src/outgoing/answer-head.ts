import type { Socket } from 'node:net'

const MAX_HEAD_BYTES = 64 * 1024
const newline = 10

/**
 * Heads of answers as curl and Python take them, in the form that undici takes: interim answers (100 Continue, 103
 * Early Hints) are passed over, lines may end with LF alone, and equal lengths may be repeated.
 */
export class AnswerHeads {
  #head: Buffer | undefined

  /** A request is sent: the next bytes begin an answer. */
  expect(): void {
    this.#head ??= Buffer.alloc(0)
  }

  /** What undici may read of the bytes that came; null until a head is complete. */
  take(chunk: Buffer): Buffer | null {
    if (this.#head === undefined) return chunk
    let bytes = this.#head.length > 0 ? Buffer.concat([this.#head, chunk]) : chunk
    for (;;) {
      const end = endOf(bytes)
      if (end < 0) {
        this.#head = bytes
        return bytes.length > MAX_HEAD_BYTES || !mayBeHttp(bytes) ? this.#pass(bytes) : null
      }
      const [head, rest] = [bytes.subarray(0, end).toString('latin1'), bytes.subarray(end)]
      if (!isInterim(head)) return this.#pass(Buffer.concat([Buffer.from(strictHead(head), 'latin1'), rest]))
      bytes = rest
    }
  }

  #pass(bytes: Buffer): Buffer {
    this.#head = undefined
    return bytes
  }
}

const begin = 'HTTP/'
const mayBeHttp = (bytes: Buffer): boolean => begin.startsWith(bytes.toString('latin1', 0, begin.length))

/** Past the blank line; -1 if there is none yet. Each byte is looked at once for each chunk. */
function endOf(bytes: Buffer): number {
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) {
    if (bytes[at + 1] === newline) return at + 2
    if (bytes[at + 1] === 13 && bytes[at + 2] === newline) return at + 3
  }
  return -1
}

const isInterim = (head: string): boolean => /^HTTP\/1\.[01] 1(?!01)\d\d[ \r\n]/.test(head)

/** With CRLF, and a length once. */
export function strictHead(head: string): string {
  const lines = head.split(/\r?\n/).filter((line) => line !== '')
  const lengths = new Set<string>()
  const once = lines.filter((line) => {
    const [, length] = /^content-length[ \t]*:[ \t]*(.*?)[ \t]*$/i.exec(line) ?? []
    if (length === undefined) return true
    const isNew = !lengths.has(length)
    lengths.add(length)
    return isNew
  })
  return `${once.join('\r\n')}\r\n\r\n`
}

/** Makes undici read a socket's answers by these rules. It reads and writes in turns: one request at a time. */
export function readLeniently(socket: Socket): void {
  const heads = new AnswerHeads()
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket) as (...words: unknown[]) => boolean]
  socket.read = (size?: number) => {
    for (let chunk = read(size) as Buffer | null; chunk !== null; chunk = read(size)) {
      const bytes = heads.take(chunk)
      if (bytes !== null) return bytes
    }
    return null
  }
  socket.write = ((...words: unknown[]) => {
    heads.expect()
    return write(...words)
  }) as Socket['write']
}
