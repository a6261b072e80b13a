import { isUtf8 } from 'node:buffer'
import { type Entry, getFileNameLowLevel } from 'yauzl'
import type { NameEncoding } from '../../contract/files.ts'

const UNIXES: readonly number[] = [3, 19]
const UTF8_FLAG = 1 << 11
const UNICODE_PATH = 0x7075
/** Of names that are read to guess their encoding. */
const MAX_SAMPLE_BYTES = 256 * 1024

export const isUnix = ({ versionMadeBy }: Entry): boolean => UNIXES.includes(versionMadeBy >>> 8)

/** What names of an archive say together. */
export interface Naming {
  /** Of names that do not say it; DOS's code page 437 if undefined. */
  readonly encoding: NameEncoding | undefined
  /** Whether a name contains `/`: then `\` may be part of a character that was not recognized. */
  readonly slashes: boolean
}

/** Collects the names of an archive that do not say their encoding. */
export class NameSample {
  readonly #names: Buffer[] = []
  #bytes = 0
  #slashes = false

  take(entry: Entry): void {
    const { fileNameRaw: raw } = entry
    this.#slashes ||= raw.includes(0x2f)
    if (isUnix(entry) || saysEncoding(entry) || isUtf8(raw) || this.#bytes > MAX_SAMPLE_BYTES) return
    this.#names.push(raw)
    this.#bytes += raw.length
  }

  naming(chosen: NameEncoding | undefined): Naming {
    return { encoding: chosen ?? guess(Buffer.concat(this.#names)), slashes: this.#slashes }
  }
}

const saysEncoding = ({ generalPurposeBitFlag, extraFields }: Entry): boolean =>
  (generalPurposeBitFlag & UTF8_FLAG) !== 0 || extraFields.some(({ id }) => id === UNICODE_PATH)

/**
 * The path as its maker meant it. Windows programs write `\` between names, unless they write `/`: a name that has one
 * is split there alone.
 */
export function pathOf(entry: Entry, chosen: NameEncoding | undefined, { encoding, slashes }: Naming): Buffer {
  const { fileNameRaw: raw } = entry
  const system = entry.versionMadeBy >>> 8
  const unlabelled = !saysEncoding(entry) && (chosen !== undefined || !isUtf8(raw))
  if (isUnix(entry)) return unlabelled && chosen ? decoded(raw, chosen) : raw
  const path = unlabelled && encoding ? decoded(raw, encoding) : plainPath(entry)
  if (system !== 0 || path.includes(0x2f)) return withoutDrive(path)
  return slashes && unlabelled && !encoding && !isAscii(raw) ? path : withoutDrive(split(path))
}

/** As the archive says, else UTF-8, else DOS's code page. */
function plainPath({ fileNameRaw: raw, generalPurposeBitFlag, extraFields }: Entry): Buffer {
  return isUtf8(raw) ? raw : Buffer.from(getFileNameLowLevel(generalPurposeBitFlag, raw, extraFields, true))
}

const split = (path: Buffer): Buffer => Buffer.from(path.toString().replaceAll('\\', '/'))

/** `C:/site` is an absolute path on Windows. */
const withoutDrive = (path: Buffer): Buffer =>
  /^[A-Za-z]:\//.test(path.toString('latin1', 0, 3)) ? path.subarray(2) : path

const isAscii = (bytes: Buffer): boolean => bytes.every((byte) => byte < 0x80)

const decoded = (raw: Buffer, encoding: NameEncoding): Buffer => Buffer.from(new TextDecoder(encoding).decode(raw))

/** The encoding of names, if they can hardly be in another one. */
export function guess(names: Buffer): NameEncoding | undefined {
  if (isAscii(names)) return undefined
  const text = strictly(names, 'shift_jis')
  if (text !== undefined && /[\u3040-\u30ff]/.test(text) && !/[\uff61-\uff9f\ue000-\uf8ff]/.test(text))
    return 'shift_jis'
  if (isCyrillic(names)) return 'ibm866'
  return ofPairs(names)
}

function strictly(names: Buffer, encoding: NameEncoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(names)
  } catch {
    return undefined
  }
}

/** Whole words of Cyrillic letters: other languages of DOS's code pages have single letters beyond ASCII. */
function isCyrillic(names: Buffer): boolean {
  const words = names.toString('latin1').match(/[\x80-\xff]+/g) ?? []
  const letters = words.every((word) => /^[\x80-\xaf\xe0-\xf1]+$/.test(word))
  return letters && words.some((word) => word.length >= 4) && words.join('').length >= 3 * words.length
}

const MIN_HANGUL = 8

/** Chinese and Korean encodings: pairs of bytes, whose ranges tell them apart. */
function ofPairs(names: Buffer): NameEncoding | undefined {
  const pairs: (readonly [number, number])[] = []
  for (let at = 0; at < names.length; at++) if (names[at]! >= 0x80) pairs.push([names[at]!, names[++at] ?? 0])
  const isTwoHigh = pairs.every(([, second]) => second >= 0xa1 && second <= 0xfe)
  const within = (first: number, last: number) => pairs.every(([lead]) => lead >= first && lead <= last)
  if (!isTwoHigh)
    return within(0xa4, 0xf9) && pairs.every(([, second]) => second >= 0x40) && strictly(names, 'big5')
      ? 'big5'
      : undefined
  if (within(0xb0, 0xc8)) return pairs.length >= MIN_HANGUL ? 'euc-kr' : undefined
  return within(0xb0, 0xd7) && strictly(names, 'gbk') ? 'gbk' : undefined
}
