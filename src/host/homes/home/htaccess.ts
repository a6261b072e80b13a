import type { Answered, FileInput } from '../../contract/commands/files.ts'
import { MAX_DIRECTIVES, MAX_PATHS_BYTES } from '../../contract/files.ts'
import { readDirectives } from '../htaccess/directives.ts'
import { type CheckedDirective, evaluate } from '../htaccess/evaluate.ts'
import type { Directory } from './directory.ts'
import { type Parts, partsOf } from './path.ts'
import type { Home } from './walk.ts'

const MAX_FILES = 2_000
const MAX_FILE_BYTES = 64 * 1024
/** Below the document root. */
const MAX_DEPTH = 12
const MAX_SCAN_MS = 20_000

export const htaccessName = Buffer.from('.htaccess')

export interface HtaccessFile {
  readonly directory: Directory
  /** Of its directory, below the home. */
  readonly parts: Parts
  /** Absent where a directory has none. */
  readonly text?: string | undefined
}

interface Scan {
  readonly until: number
  readonly now: () => number
  files: number
  /** Whether something was left out. */
  more: boolean
}

type Found = (file: HtaccessFile) => Promise<void> | void

/**
 * The directories whose `.htaccess` files count for a document root: those on the way to it, and all below. Links are
 * not followed.
 * Returns whether there is more than the bounds allow to read.
 */
export async function eachHtaccess(
  home: Home,
  root: Parts,
  found: Found,
  now = () => performance.now(),
): Promise<boolean> {
  const scan: Scan = { until: now() + MAX_SCAN_MS, now, files: 0, more: false }
  let directory = await home.directory.again()
  try {
    for (const [at, part] of root.entries()) {
      await readOne(scan, directory, root.slice(0, at), found)
      const above = directory
      directory = await above.down(part).finally(() => above.close())
    }
    await below(scan, directory, { parts: root, depth: 0 }, found)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    scan.more = (error as NodeJS.ErrnoException).code !== 'ENOENT'
  } finally {
    await directory.close().catch(() => {})
  }
  return scan.more
}

interface Level {
  readonly parts: Parts
  readonly depth: number
}

async function below(scan: Scan, directory: Directory, { parts, depth }: Level, found: Found): Promise<void> {
  await readOne(scan, directory, parts, found)
  for await (const { name, isDirectory } of directory.entries()) {
    if (isOver(scan)) return
    if (!isDirectory) continue
    if (depth === MAX_DEPTH) {
      scan.more = true
      return
    }
    await into(scan, directory, name, { parts: [...parts, name], depth: depth + 1 }, found)
  }
}

async function into(scan: Scan, above: Directory, name: Buffer, level: Level, found: Found): Promise<void> {
  const directory = await unlessUnreadable(scan, above.down(name))
  if (!directory) return
  try {
    await unlessUnreadable(scan, below(scan, directory, level, found))
  } finally {
    await directory.close()
  }
}

function isOver(scan: Scan): boolean {
  const isLate = scan.now() > scan.until
  if (isLate || scan.files >= MAX_FILES) scan.more = true
  return scan.more && (isLate || scan.files >= MAX_FILES)
}

async function readOne(scan: Scan, directory: Directory, parts: Parts, found: Found): Promise<void> {
  if (isOver(scan)) return
  const text = await textIn(scan, directory)
  await unlessUnreadable(scan, Promise.resolve(found({ directory, parts, text })))
}

async function textIn(scan: Scan, directory: Directory): Promise<string | undefined> {
  const stats = await unlessUnreadable(scan, directory.find(htaccessName))
  if (!stats?.isFile()) return undefined
  scan.files += 1
  if (stats.size <= MAX_FILE_BYTES) return unlessUnreadable(scan, textOf(directory))
  scan.more = true
  return undefined
}

/** One character for each byte: files have any encoding. */
async function textOf(directory: Directory): Promise<string> {
  const file = await directory.openToRead(htaccessName)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0)
    return buffer.subarray(0, bytesRead).toString('latin1')
  } finally {
    await file.close()
  }
}

const unreadable: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENXIO', 'EISDIR'])
const isUnreadable = (error: unknown): boolean => unreadable.has((error as NodeJS.ErrnoException).code ?? '')

/** What its owner removed or replaced meanwhile, or may not read, is left out. */
async function unlessUnreadable<T>(scan: Scan, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (!isUnreadable(error)) throw error
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') scan.more = true
    return undefined
  }
}

type HtaccessItem = Answered<'htaccess'>['items'][number]

/** The directives of a site's `.htaccess` files, and which are obeyed. */
export async function htaccess(home: Home, { root, handler }: FileInput<'htaccess'>): Promise<Answered<'htaccess'>> {
  const rootParts = partsOf(root)
  const collected = new Collected()
  const isMore = await eachHtaccess(home, rootParts, ({ parts, text }) => {
    if (text === undefined) return
    const file = Buffer.concat([...parts, htaccessName].flatMap((part, at) => (at === 0 ? [part] : [slash, part])))
    const isOfRoot = parts.length === rootParts.length
    collected.add(file.toString('base64'), evaluate(readDirectives(text), { handler, isOfRoot }))
  })
  return { items: collected.items, more: isMore || collected.more }
}

const slash = Buffer.from('/')

/** Access rules have a share of their own: others cannot push them out. */
class Collected {
  readonly #access: HtaccessItem[] = []
  readonly #others: HtaccessItem[] = []
  #bytes = 0
  more = false

  get items(): HtaccessItem[] {
    return [...this.#access, ...this.#others]
  }

  add(file: string, directives: readonly CheckedDirective[]): void {
    for (const one of directives) {
      const list = one.kind === 'access' ? this.#access : this.#others
      const bytes = file.length + one.directive.length
      if (list.length >= MAX_DIRECTIVES / 2 || this.#bytes + bytes > MAX_PATHS_BYTES) this.more = true
      else {
        list.push({ file, ...one })
        this.#bytes += bytes
      }
    }
  }
}
