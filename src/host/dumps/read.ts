import type { FileHandle } from 'node:fs/promises'
import { type ImportRuleOptions, ImportRules } from './import-rules.ts'
import type { DumpReport } from './report.ts'
import { dumpIn } from './source.ts'
import { Splitter } from './splitter.ts'

/** How to read a dump. */
export interface DumpReading extends ImportRuleOptions {
  readonly maxBytes: number
  /** Whether only its report is of interest. */
  readonly isTrial?: boolean | undefined
  /** Its bytes are Latin-1, though it does not say so. */
  readonly isLatin1?: boolean | undefined
}

/** A dump being read. */
export interface ReadDump {
  /** The statements to run; none in a trial. */
  readonly bytes: AsyncIterable<Buffer>
  /** Once the last byte was read. */
  report(): DumpReport
}

/** Reads a dump that anybody made: its statements as an import runs them, and what is in it. */
export function readDump(file: FileHandle, options: DumpReading, signal?: AbortSignal): ReadDump {
  const rules = new ImportRules(options)
  const splitter = new Splitter(rules)
  let report: DumpReport | undefined
  let length = 0
  let isUtf8 = true
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const check = (piece: Buffer): void => {
    if (rules.saysCharset || !isUtf8) return
    try {
      utf8.decode(piece, { stream: true })
    } catch {
      isUtf8 = false
    }
  }
  async function* bytes(): AsyncGenerator<Buffer> {
    if (options.isLatin1) yield Buffer.from('SET NAMES latin1;')
    for await (const piece of dumpIn(file, { ...options, signal })) {
      length += piece.length
      if (options.isTrial) check(piece)
      const out = splitter.take(piece)
      if (!options.isTrial) yield* slices(out)
      signal?.throwIfAborted()
    }
    const { bytes: rest, isCut } = splitter.end()
    const found = rules.report(length, { isCut, line: splitter.line })
    report = { ...found, ...(!rules.saysCharset && !isUtf8 && { isLatin1: true as const }) }
    if (!options.isTrial) yield* slices(Buffer.concat([rest, ending]))
  }
  return { bytes: bytes(), report: () => report! }
}

/** A channel takes no longer pieces. */
const MAX_PIECE_BYTES = 1024 * 1024

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES) yield bytes.subarray(at, at + MAX_PIECE_BYTES)
}

/** Rows of a transaction that the dump leaves open are kept. */
const ending = Buffer.from('\nDELIMITER ;\nCOMMIT;\n')
