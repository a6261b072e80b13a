import type { RecordInput } from '../rules.ts'
import { FileError } from './error.ts'
import type { Word } from './lines.ts'

type Data = Pick<RecordInput, 'value' | 'priority' | 'weight' | 'port' | 'flags' | 'tag'>

interface Where {
  readonly line: number
  /** Makes a name absolute. */
  name(word: Word): string
}

type Read = (words: readonly Word[], where: Where) => Data

/** Reads exactly so many words. */
const exactly =
  (count: number, form: string, read: Read): Read =>
  (words, where) => {
    if (words.length !== count) throw new FileError(where.line, `expected ${form}`)
    return read(words, where)
  }

function number(word: Word, { line }: Where): number {
  const text = word.bytes.toString('latin1')
  if (word.quoted || !/^\d{1,5}$/.test(text)) throw new FileError(line, 'expected a number')
  return Number(text)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(words: readonly Word[], { line }: Where): string {
  try {
    return decoder.decode(Buffer.concat(words.map(({ bytes }) => bytes)))
  } catch {
    throw new FileError(line, 'the text is not UTF-8')
  }
}

const bare = (words: readonly Word[]): string => words.map(({ bytes }) => bytes.toString('latin1')).join(' ')

const host = exactly(1, 'the name of a host', ([target], where) => ({ value: where.name(target!) }))
const digest: Read = (words) => ({ value: bare(words) })
const address = exactly(1, 'one address', (words) => ({ value: bare(words) }))

const readers: Readonly<Record<string, Read>> = {
  A: address,
  AAAA: address,
  CAA: exactly(3, 'flags, a tag and a value', ([flags, tag, value], where) => ({
    flags: number(flags!, where),
    tag: tag!.bytes.toString('latin1').toLowerCase(),
    value: textOf([value!], where),
  })),
  CNAME: host,
  DS: digest,
  MX: exactly(2, 'a priority and a host', ([priority, target], where) => ({
    priority: number(priority!, where),
    value: where.name(target!),
  })),
  NS: host,
  PTR: host,
  SRV: exactly(4, 'a priority, a weight, a port and a host', ([priority, weight, port, target], where) => ({
    priority: number(priority!, where),
    weight: number(weight!, where),
    port: number(port!, where),
    value: where.name(target!),
  })),
  SSHFP: digest,
  TLSA: digest,
  TXT: (words, where) => ({ value: textOf(words, where) }),
}

/** A record's data in a zone file; throws for unsupported types. */
export function dataOf(type: string, words: readonly Word[], where: Where): Data {
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined
  if (!read)
    throw new FileError(where.line, `records of type ${type.replace(/[^!-~]/g, '?').slice(0, 20)} are not supported`)
  return read(words, where)
}
