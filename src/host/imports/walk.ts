import { FileError } from '../contract/error.ts'
import type { ReadEntry } from '../homes/archive/entry.ts'
import { tarEntries } from '../homes/archive/tar-read.ts'
import { type ArchiveFormat, formatOf, layouts } from './layout.ts'
import { unpacked } from './open.ts'
import { SeenNames } from './seen-names.ts'

export interface WalkLimits {
  readonly maxEntries: number
  /** Of all files, unpacked. */
  readonly maxBytes: number
}

/** An entry of the archive, or of an archive within. */
export interface Walked {
  /** Where it belongs: one character a byte, without empty segments. */
  readonly path: string
  readonly entry: ReadEntry
  /** Where the file belongs that a hard link names. */
  readonly target?: string | undefined
}

const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 4_096
const MAX_DEPTH = 128
/** Of the entries passed over for one reason, so many are named. */
const MAX_REFUSED_PATHS = 5
/** Of an entry beside its content: its header, and one of its names. */
const OVERHEAD_BYTES = 8_192
const SLACK_BYTES = 1024 * 1024

/** What begins the paths of an archive that has no directory around it. */
const bareTops = new Set(
  `homedir homedir.tar cp userdata mysql mysql.sql version quota shadow shell va vad vf dnszones cron apache_tls sslcerts
  sslkeys proftpdpasswd addons sds sds2 pds mm mma mms homedir_paths meta bandwidth logs counters nobodyfiles suspended
  suspendinfo ips psql ccs team domainkeys dnssec_keys resellerconfig locale digestshadow webcalls.json httpfiles
  backup domains imap hestia vesta pam web dns mail db user_dir .zstd backup.conf`.split(/\s+/),
)

/** Passes over what no archive may hold, and counts it; the first of two equal names wins. */
export class ArchiveWalk {
  readonly refused = new Map<string, number>()
  /** The first of them for each reason: one character a byte. */
  readonly refusedPaths = new Map<string, string[]>()
  bytes = 0
  #entries = 0
  readonly #limits: WalkLimits
  readonly #names = new SeenNames()
  #format: ArchiveFormat | undefined
  #top: string | undefined

  constructor(limits: WalkLimits) {
    this.#limits = limits
  }

  get bytesLeft(): number {
    return this.#limits.maxBytes - this.bytes
  }

  /** Known once an entry has been read that only one panel's archives have. */
  get format(): ArchiveFormat {
    return this.#format ?? 'cpanel'
  }

  /** The entries of an archive and of the archives in it, each where it belongs. */
  async *entries(bytes: AsyncIterable<Buffer>): AsyncGenerator<Walked> {
    for await (const entry of this.#tar(bytes)) {
      const path = this.#inside(entry)
      if (path === undefined || path === '') continue
      this.#format ??= formatOf(path)
      const place = layouts[this.format].place(path)
      if (!place) continue
      if ('path' in place) {
        if (this.#isFirst(place.path, entry)) yield { path: place.path, entry, target: this.#target(entry) }
      } else if (entry.type === 'file' && this.#isFirst(path, entry)) yield* this.#within(entry, place.inner)
    }
  }

  async *#within({ content }: ReadEntry, placeOf: (path: string) => string | undefined): AsyncGenerator<Walked> {
    for await (const entry of this.#tar(unpacked(content()))) {
      const parts = this.#parts(entry.path)
      const path = parts && parts.length > 0 ? placeOf(parts.join('/')) : undefined
      if (path === undefined || !this.#isFirst(path, entry)) continue
      const target = entry.type === 'hard' ? placeOf(partsOf(entry.target!).join('/')) : undefined
      yield { path, entry, target }
    }
  }

  async *#tar(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
    for await (const entry of tarEntries(this.#measured(bytes))) {
      this.#count(entry)
      if (entry.type === 'other') this.#refuse('devices, FIFOs and unknown types', entry.path)
      else yield entry
    }
  }

  /** What no entry accounts for is bounded, too. */
  async *#measured(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const { maxBytes, maxEntries } = this.#limits
    let left = maxBytes + maxEntries * OVERHEAD_BYTES + SLACK_BYTES
    for await (const chunk of bytes) {
      left -= chunk.length
      if (left < 0) throw tooLarge('it unpacks to more than import_bytes_max and import_entries_max allow')
      yield chunk
    }
  }

  #target({ type, target }: ReadEntry): string | undefined {
    if (type !== 'hard') return undefined
    const parts = partsOf(target!)
    if (this.#top !== '' && parts[0] !== this.#top) return undefined
    const place = layouts[this.format].place((this.#top === '' ? parts : parts.slice(1)).join('/'))
    return place && 'path' in place ? place.path : undefined
  }

  #count({ size, type }: ReadEntry): void {
    if (++this.#entries > this.#limits.maxEntries)
      throw tooLarge(`it has more than ${this.#limits.maxEntries} entries (import_entries_max)`)
    if (type === 'file') this.bytes += size
    if (this.bytes > this.#limits.maxBytes)
      throw tooLarge(`its files have more than ${this.#limits.maxBytes} bytes (import_bytes_max)`)
  }

  #inside({ path }: ReadEntry): string | undefined {
    const parts = this.#parts(path)
    if (!parts) return undefined
    if (parts.length === 0) return ''
    if (this.#top === undefined) this.#top = bareTops.has(parts[0]!) ? '' : parts[0]!
    if (this.#top === '') return parts.join('/')
    if (parts[0] === this.#top) return parts.slice(1).join('/')
    this.#refuse('names outside the first directory', path)
    return undefined
  }

  #parts(path: Buffer): string[] | undefined {
    const text = path.toString('latin1')
    const parts = partsOf(path)
    const why = refusal(text, parts)
    if (why !== undefined) this.#refuse(why, path)
    return why === undefined ? parts : undefined
  }

  #isFirst(path: string, { type, path: named }: ReadEntry): boolean {
    if (this.#names.add(path)) return true
    if (type !== 'directory') this.#refuse('a name that is there already', named)
    return false
  }

  #refuse(why: string, path: Buffer): void {
    this.refused.set(why, (this.refused.get(why) ?? 0) + 1)
    const paths = this.refusedPaths.get(why) ?? []
    if (paths.length < MAX_REFUSED_PATHS) this.refusedPaths.set(why, [...paths, path.toString('latin1')])
  }
}

const partsOf = (path: Buffer): string[] =>
  path
    .toString('latin1')
    .split('/')
    .filter((part) => part !== '' && part !== '.')

function refusal(text: string, parts: readonly string[]): string | undefined {
  if (text.startsWith('/')) return 'absolute names'
  if (parts.includes('..')) return 'names with ".."'
  if (text.includes('\0')) return 'names with NUL'
  if (text.length > MAX_PATH_BYTES) return `paths of more than ${MAX_PATH_BYTES} bytes`
  if (parts.some(({ length }) => length > MAX_NAME_BYTES)) return `names of more than ${MAX_NAME_BYTES} bytes`
  return parts.length > MAX_DEPTH ? `paths of more than ${MAX_DEPTH} directories` : undefined
}

const tooLarge = (why: string): FileError => new FileError('validation', `The archive is too large: ${why}.`, 'path')
