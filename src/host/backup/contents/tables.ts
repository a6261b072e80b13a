import type { Bytes } from '../write.ts'

const newline = 0x0a
/** More than the longest name with its statement. */
const MAX_HEAD_BYTES = 1_024

/** The tables that a dump creates. The program that writes it begins each with a line of its own. */
export async function* tablesIn(dump: Bytes): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  for await (const chunk of dump) {
    let at = 0
    for (;;) {
      const end = chunk.indexOf(newline, at)
      head = Buffer.concat([head, chunk.subarray(at, Math.min(end < 0 ? chunk.length : end, at + MAX_HEAD_BYTES))])
      if (end < 0) break
      const name = tableIn(head.subarray(0, MAX_HEAD_BYTES))
      if (name) yield name
      head = Buffer.alloc(0)
      at = end + 1
    }
    head = head.subarray(0, MAX_HEAD_BYTES)
  }
}

function tableIn(line: Buffer): Buffer | undefined {
  const [, name] = /^CREATE TABLE (?:IF NOT EXISTS )?`((?:[^`]|``)+)`/.exec(line.toString('latin1')) ?? []
  return name === undefined ? undefined : Buffer.from(name.replaceAll('``', '`'), 'latin1')
}
