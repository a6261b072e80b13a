import { posix } from 'node:path'
import type { Unpacking } from '../contract/commands/imports.ts'
import type { ReadEntry } from '../homes/archive/entry.ts'
import { contentOf } from './content.ts'
import { imapFolder, subscriptions } from './imap-folder.ts'
import { type ArchiveFormat, dumpAt, layouts } from './layout.ts'
import type { Walked } from './walk.ts'

const indexes =
  /(?:^|\/)(?:dovecot\.index[^/]*|dovecot\.list\.index[^/]*|dovecot-quota|maildirsize|mailbox_format\.cpanel|[^/]*\.cpanel)$/
/** Without setuid, setgid, sticky, and what lets others write. */
const MODES = 0o755

/** Says where each entry of an archive goes in the new home, and leaves out what does not come. */
export class Placing {
  readonly #request: Unpacking
  readonly #mailboxes: ReadonlyMap<string, string>
  readonly #databases: ReadonlyMap<string, string>
  readonly #above: ReadonlySet<string>

  constructor(request: Unpacking) {
    this.#request = request
    this.#mailboxes = new Map(request.mailboxes.map(({ from, to }) => [from, to]))
    this.#databases = new Map(request.databases.map(({ from, to }) => [from, to]))
    this.#above = new Set(request.roots.flatMap(above))
  }

  /** The entry as it is written; undefined for one that does not come. */
  place({ path, entry, target }: Walked, format: ArchiveFormat): ReadEntry | undefined {
    const to = this.#placeOf(path, entry, format)
    if (to === undefined) return undefined
    if (entry.type === 'hard') {
      const there = target === undefined ? undefined : this.#placeOf(target, entry, format)
      return there === undefined ? undefined : { ...entry, path: bytes(to), target: bytes(there) }
    }
    if (entry.type === 'link') return this.#link(to, entry)
    return { ...entry, path: bytes(to), mode: this.#mode(to, entry) }
  }

  #placeOf(path: string, entry: ReadEntry, format: ArchiveFormat): string | undefined {
    const dump = dumpAt(path)
    if (dump !== undefined) return this.#dump(dump, entry)
    if (!path.startsWith('homedir/')) return undefined
    const inHome = path.slice('homedir/'.length)
    if (inHome === 'mail' || inHome.startsWith('mail/')) return this.#mail(inHome, entry)
    if (this.#request.without.includes('files') || layouts[format].leftOut.test(inHome)) return undefined
    return inHome.replace(/^\.trash(?=\/|$)/, `.trash.${format}`)
  }

  /** Compressed or not: its first bytes say so. */
  #dump(name: string, { type }: ReadEntry): string | undefined {
    const to = type === 'file' ? this.#databases.get(Buffer.from(name, 'latin1').toString('utf8')) : undefined
    return to === undefined ? undefined : `${dumpsDir}/${to}.sql`
  }

  /** `mail/{cur,new}` and its folders are the default address's. */
  #mail(path: string, { type }: ReadEntry): string | undefined {
    if (type === 'link' || indexes.test(path) || this.#request.without.includes('mail')) return undefined
    const parts = path.split('/').slice(1)
    const [first = '', second] = parts
    if (first === '') return 'mail'
    const isDefault = first.startsWith('.') || !first.includes('.')
    if (!isDefault && second === undefined) return undefined
    const to = this.#mailboxes.get(isDefault ? '' : `${text(first)}/${text(second!)}`.toLowerCase())
    if (to === undefined) return undefined
    const below = isDefault ? parts : parts.slice(2)
    const home = `mail/${latin(to)}`
    return below.length === 0 ? home : [home, maildir, ...below.map(imapFolder)].join('/')
  }

  /** A link into the former home becomes relative. */
  #link(to: string, entry: ReadEntry): ReadEntry {
    const target = entry.target!.toString('latin1')
    const home = this.#request.homes.find((one) => target === one || target.startsWith(`${one}/`))
    if (home === undefined) return { ...entry, path: bytes(to) }
    const inHome = target.slice(home.length + 1)
    const relative = posix.relative(posix.dirname(to), inHome) || '.'
    return { ...entry, path: bytes(to), target: bytes(relative) }
  }

  /** The web server is another user: it reads directories of sites, and goes through those above. */
  #mode(to: string, { type, mode }: ReadEntry): number {
    const own = mode & MODES
    if (type !== 'directory' || to.startsWith('mail/')) return own
    if (this.#request.roots.some((root) => to === root || to.startsWith(`${root}/`))) return own | 0o705
    return this.#above.has(to) ? own | 0o701 : own
  }
}

/** Longer ones than any program writes stay as they are. */
const MAX_SUBSCRIPTIONS_BYTES = 1024 * 1024
const ofSubscriptions = /^mail\/[^/]+\/[^/]+\/Maildir\/subscriptions$/

/** Names of folders are those of their directories here. */
export async function withFolderNames(entry: ReadEntry): Promise<ReadEntry> {
  if (entry.type !== 'file' || entry.size > MAX_SUBSCRIPTIONS_BYTES) return entry
  if (!ofSubscriptions.test(entry.path.toString('latin1'))) return entry
  const { extents: _, ...rest } = entry
  const own = bytes(subscriptions((await contentOf(entry)).toString('latin1')))
  return {
    ...rest,
    size: own.length,
    content: async function* () {
      yield own
    },
  }
}

/** Where Dovecot has the messages of a mailbox, below the mailbox's own directory. */
const maildir = 'Maildir'
/** In the home, until what is in it is loaded. */
export const importDir = '.panel-import'
const dumpsDir = `${importDir}/sql`

function above(root: string): string[] {
  const parts = root.split('/')
  return parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('/'))
}

const bytes = (path: string): Buffer => Buffer.from(path, 'latin1')
const text = (path: string): string => Buffer.from(path, 'latin1').toString('utf8')
const latin = (path: string): string => Buffer.from(path, 'utf8').toString('latin1')
