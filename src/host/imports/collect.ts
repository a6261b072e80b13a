import type { SourceFinding, SourceHtaccess } from '../contract/commands/imports.ts'
import { FileError } from '../contract/error.ts'
import type { ReadEntry } from '../homes/archive/entry.ts'
import type { Collected } from './collected.ts'
import { contentOf } from './content.ts'
import { readHtaccess, unreadHtaccess } from './htaccess.ts'
import { dumpAt, layouts } from './layout.ts'
import { plain } from './open.ts'
import { type DumpFindings, DumpReader } from './sql.ts'
import { decoded, escaped, nameText } from './text.ts'
import type { ArchiveWalk, Walked } from './walk.ts'

const MAX_TEXT_BYTES = 1024 * 1024
const MAX_ZONE_BYTES = 8 * MAX_TEXT_BYTES
const MAX_TEXTS_BYTES = 64 * MAX_TEXT_BYTES
const MAX_HTACCESS_BYTES = 64 * 1024
const MAX_HTACCESS = 2_000
const MAX_LISTED = 20

/** Texts of the home. */
const homeTexts =
  /^(?:etc\/[^/]+\/(?:passwd|shadow|quota)|(?:\.cpanel|etc(?:\/[^/]+){0,2})\/filter\.yaml|\.autorespond\/[^/]+|\.ssh\/authorized_keys|mail\/mailbox_format\.cpanel|\.contactemail)$/

/** A path of the archive as text. */
const readable = (path: string): string => escaped(nameText(path))

/** Reads an archive once, and keeps what describes the account. */
export class Collector {
  readonly #walk: ArchiveWalk
  readonly #texts = new Map<string, Buffer>()
  readonly #homeTexts = new Map<string, Buffer>()
  readonly #dumps = new Map<string, DumpFindings>()
  readonly #htaccess: SourceHtaccess[] = []
  readonly #unreadBelow = new Set<string>()
  readonly #mail = new Map<string, { messages: number; bytes: number; isMdbox: boolean }>()
  readonly #unknown = new Map<string, number>()
  readonly #findings: SourceFinding[] = []
  readonly #links: { file: string; target: string }[] = []
  readonly #figures = { files: 0, directories: 0, links: 0, hardLinks: 0, bytes: 0, modes: 0 }
  #textBytes = 0

  constructor(walk: ArchiveWalk) {
    this.#walk = walk
  }

  async collect(bytes: AsyncIterable<Buffer>): Promise<void> {
    for await (const walked of this.#walk.entries(bytes)) await this.#take(walked)
  }

  /** What has been read until now. */
  collected(sizeBytes: number): Collected {
    const { outside, outsideCount } = this.#outside()
    return {
      texts: this.#texts,
      homeTexts: this.#homeTexts,
      dumps: this.#dumps,
      htaccess: this.#htaccess,
      links: this.#links.map((one) => ({ file: readable(one.file), target: readable(one.target) })),
      mail: this.#mail,
      format: this.#walk.format,
      unknown: this.#unknown,
      findings: this.#findings,
      sizeBytes,
      files: { ...this.#figures, ...this.#refused(), outside, outsideCount },
    }
  }

  #refused() {
    const named = [...this.#walk.refusedPaths].map(([why, paths]) => [why, paths.map(readable)] as const)
    return { refused: Object.fromEntries(this.#walk.refused), refusedNames: Object.fromEntries(named) }
  }

  async #take(walked: Walked): Promise<void> {
    const { path, entry } = walked
    if (path === 'homedir' || path.startsWith('homedir/')) return this.#home(path.slice('homedir/'.length), entry)
    if (entry.type !== 'file') return
    const dump = dumpAt(path)
    if (dump !== undefined) return this.#dump(dump, entry)
    const layout = layouts[this.#walk.format]
    if (layout.texts.test(path)) return this.#text(this.#texts, path, entry)
    if (layout.known.test(path)) this.#countOther(layout.kindOf(path))
    else this.#countUnknown(layout.nameOf(path))
  }

  async #home(path: string, entry: ReadEntry): Promise<void> {
    const { type, mode, size } = entry
    if (path === '') return
    if (type === 'directory') this.#figures.directories++
    else if (type === 'link') this.#link(path, entry)
    else if (type === 'hard') this.#figures.hardLinks++
    else {
      this.#figures.files++
      this.#figures.bytes += size
    }
    if ((mode & 0o7022) !== 0 && type !== 'hard' && type !== 'link') this.#figures.modes++
    if (type !== 'directory' && /(?:^|\/)\.htaccess$/.test(path)) return this.#readHtaccess(path, entry)
    if (type !== 'file') return
    if (path.startsWith('mail/')) this.#countMail(path, size)
    if (homeTexts.test(path)) await this.#text(this.#homeTexts, path, entry)
  }

  #link(path: string, { target }: ReadEntry): void {
    this.#figures.links++
    this.#links.push({ file: path, target: target!.toString('latin1') })
  }

  /** Links that leave the home, as far as their text says; cPanel's own are left out without a word. */
  #outside() {
    const outside = this.#links.filter(({ file, target }) => !ownLink.test(file) && leaves(file, target))
    const listed = outside.slice(0, MAX_LISTED)
    return {
      outside: listed.map(({ file, target }) => ({ file: readable(file), target: readable(target) })),
      outsideCount: outside.length,
    }
  }

  /** `mail/{cur,new}` is the default address's; `mail/DOMAIN/LOCAL/` a mailbox's. */
  #countMail(path: string, bytes: number): void {
    const parts = path.split('/').slice(1)
    const isOfMailbox = parts.length > 3 && parts[0]!.includes('.') && !parts[0]!.startsWith('.')
    const box = isOfMailbox ? `${parts[0]}/${parts[1]}` : ''
    const rest = isOfMailbox ? parts.slice(2) : parts
    const isMessage = ['cur', 'new'].includes(rest.at(-2) ?? '')
    const isMdbox = /(?:^|\/)storage\/m\.\d+$/.test(rest.join('/'))
    if (!isMessage && !isMdbox) return
    const there = this.#mail.get(box) ?? { messages: 0, bytes: 0, isMdbox: false }
    if (isMessage) there.messages++
    there.bytes += bytes
    there.isMdbox ||= isMdbox
    this.#mail.set(box, there)
  }

  /** One that is not read counts as one with access rules. */
  async #readHtaccess(path: string, entry: ReadEntry): Promise<void> {
    const file = readable(path)
    if (this.#htaccess.length >= MAX_HTACCESS) this.#tooMany(path)
    else if (entry.type !== 'file') this.#htaccess.push(unreadHtaccess(file, 'is a link'))
    else if (entry.size > MAX_HTACCESS_BYTES) this.#htaccess.push(unreadHtaccess(file, 'has more than 64 KiB'))
    else this.#htaccess.push(readHtaccess(file, decoded(await contentOf(entry))))
  }

  /** Further files count for the directory of the home that they are in, or, if there are many of those, for the home. */
  #tooMany(path: string): void {
    const top = path.includes('/') ? path.split('/')[0]! : ''
    const isListed = this.#unreadBelow.size < MAX_LISTED
    const directory = isListed || this.#unreadBelow.has(top) ? top : ''
    if (this.#unreadBelow.has(directory)) return
    this.#unreadBelow.add(directory)
    const file = readable(directory === '' ? '.htaccess' : `${directory}/.htaccess`)
    this.#htaccess.push(unreadHtaccess(file, `is one of more than ${MAX_HTACCESS} files`))
  }

  async #dump(name: string, entry: ReadEntry): Promise<void> {
    const reader = new DumpReader(name)
    const room = this.#walk.bytesLeft + entry.size
    let size = 0
    for await (const chunk of plain(entry.content())) {
      size += chunk.length
      if (size > room) throw tooLarge(name)
      reader.write(chunk)
    }
    this.#walk.bytes += Math.max(0, size - entry.size)
    if (!this.#dumps.has(name)) this.#dumps.set(name, reader.end())
  }

  async #text(into: Map<string, Buffer>, path: string, entry: ReadEntry): Promise<void> {
    const limit = /^(?:dnszones\/|mysql\.sql)|\.db$/.test(path) ? MAX_ZONE_BYTES : MAX_TEXT_BYTES
    const name = readable(path)
    if (entry.size > limit || this.#textBytes + entry.size > MAX_TEXTS_BYTES)
      return void this.#findings.push({
        part: 'account',
        item: name,
        text: 'is too large, and was not read',
        file: name,
      })
    this.#textBytes += entry.size
    into.set(path, await contentOf(entry))
  }

  #countOther(what: string): void {
    this.#unknown.set(`\0${what}`, (this.#unknown.get(`\0${what}`) ?? 0) + 1)
  }

  #countUnknown(name: string): void {
    const what = readable(name)
    if (this.#unknown.size < MAX_UNKNOWN || this.#unknown.has(what))
      this.#unknown.set(what, (this.#unknown.get(what) ?? 0) + 1)
  }
}

const MAX_UNKNOWN = 200
const ownLink = /^(?:www|access-logs|mail\/\.?[^/]+@[^/]+|\.cagefs(?:\/.*)?)$/

/** Whether a link leads out of the home, by its text; an absolute one into a home is made relative. */
function leaves(file: string, target: string): boolean {
  if (target.startsWith('/')) return !/^\/home\d*\/[^/]+(?:\/|$)/.test(target)
  let depth = file.split('/').length - 1
  for (const part of target.split('/')) {
    if (part === '..') depth--
    else if (part !== '' && part !== '.') depth++
    if (depth < 0) return true
  }
  return false
}

const tooLarge = (name: string): FileError =>
  new FileError(
    'validation',
    `The archive is too large: the dump of ${escaped(name)} exceeds import_bytes_max.`,
    'path',
  )
