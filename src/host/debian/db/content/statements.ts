import { pausedEvent } from '../../../dumps/events.ts'

const newline = 10
/** The first bytes of lines to rewrite: `/`, `A`, `C`, and a blank before a column. */
const begins = new Set([0x2f, 0x41, 0x43, 0x20])
const MAX_STATEMENT_HEAD_LENGTH = 1024 * 1024

/** Objects that were created under ANSI_QUOTES or ORACLE have double quotes. */
const name = '(?:`(?:[^`]|``)*`|"(?:[^"]|"")*")'
const definer = new RegExp(
  `^(CREATE (?:OR REPLACE )?|/\\*!50013 |/\\*!50003 CREATE\\*/ /\\*!50017 |/\\*!50106 CREATE\\*/ /\\*!50117 )DEFINER=${name}@${name}`,
)
const ownDefiner = new RegExp(`${definer.source} ?`)
const isTrigger = /^(?:CREATE|\/\*!50003 CREATE\*\/) .*?\bTRIGGER /

/** A column whose default takes the next value of a sequence: MariaDB writes the sequence's database, too. */
const sequenced = /^ {2}`.*\b(?:nextval|lastval|setval)\(/i

const view = '/*!50001 VIEW '
/** String literals, which stay unchanged, and identifiers. */
const token = /'(?:[^'\\]|\\.|'')*'|`(?:[^`]|``)*`\.?/g

/** The database that was dumped, and the target. */
export interface Renamed {
  readonly from: string
  readonly to: string
}

/** Rewrites the start of a line so that a user who may name neither other users nor the database can run it. */
function rewritten(line: string, { from, to }: Renamed): string {
  if (line.startsWith(view) || sequenced.test(line))
    return line.replaceAll(token, (one) => (one === `\`${from}\`.` ? `\`${to}\`.` : one))
  if (line.startsWith(`ALTER DATABASE \`${from}\` `)) return line.replace(` \`${from}\``, '')
  const owned = pausedEvent(line.replace(definer, '$1DEFINER=CURRENT_USER'))
  if (!isTrigger.test(owned)) return owned
  const of = `(?:\`${from}\`|"${from}"|${from})\\s*\\.\\s*`
  return owned
    .replace(new RegExp(`(\\bTRIGGER (?:IF NOT EXISTS )?)${of}`, 'i'), '$1')
    .replace(new RegExp(`( (?:INSERT|UPDATE|DELETE) ON )${of}`, 'i'), '$1')
}

/** A dump's statements for a single-use user: objects that run with a user's privileges get that user. */
export async function* forAnotherUser(bytes: AsyncIterable<Buffer>, of: Renamed): AsyncGenerator<Buffer> {
  const lines = new Lines((line) => rewritten(line, of))
  for await (const chunk of bytes) yield lines.take(chunk)
  yield lines.end()
}

/** A client's command of newer dumps that other servers' clients take for an error. */
const sandboxLine = /^\/\*M?!999999\\- enable the sandbox mode \*\/ ?\r?\n?$/

/** A dump for other servers: its objects belong to the user that loads it. */
export async function* withoutDefiners(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const lines = new Lines((line) => (sandboxLine.test(line) ? '' : line.replace(ownDefiner, '$1')))
  for await (const chunk of bytes) yield lines.take(chunk)
  yield lines.end()
}

/** Streams lines and rewrites the start of some; never buffers long ones. */
class Lines {
  readonly #rewrite: (line: string) => string
  /** The buffered start of a line that may be rewritten. */
  #head: Buffer | undefined = Buffer.alloc(0)

  constructor(rewrite: (line: string) => string) {
    this.#rewrite = rewrite
  }

  take(chunk: Buffer): Buffer {
    const out: Buffer[] = []
    let at = 0
    while (at < chunk.length) {
      const end = chunk.indexOf(newline, at)
      const stop = end < 0 ? chunk.length : end + 1
      this.#add(chunk.subarray(at, stop), end >= 0, out)
      at = stop
    }
    return Buffer.concat(out)
  }

  end(): Buffer {
    const rest = this.#head ?? Buffer.alloc(0)
    this.#head = undefined
    return this.#done(rest)
  }

  #add(piece: Buffer, isLast: boolean, out: Buffer[]): void {
    if (this.#head === undefined) out.push(piece)
    else {
      const head = this.#head.length > 0 ? Buffer.concat([this.#head, piece]) : piece
      const isPlain = !begins.has(head[0]!)
      if (isPlain || isLast || head.length > MAX_STATEMENT_HEAD_LENGTH) {
        out.push(isPlain ? head : this.#done(head))
        this.#head = undefined
      } else this.#head = Buffer.from(head)
    }
    if (isLast) this.#head = Buffer.alloc(0)
  }

  #done(head: Buffer): Buffer {
    const line = head.toString('latin1')
    const now = this.#rewrite(line)
    return now === line ? head : Buffer.from(now, 'latin1')
  }
}
