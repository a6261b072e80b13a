import type { Answered, FileInput, WordpressFiles } from '../../contract/commands/files.ts'
import { MAX_WORDPRESS_SITES } from '../../contract/files.ts'
import { describeFiles, type FileText, type SiteFiles } from '../wordpress/describe.ts'
import type { Directory } from './directory.ts'
import { partsOf, plainText } from './path.ts'
import type { Home } from './walk.ts'

/** Below the document root. */
const MAX_DEPTH = 4
const MAX_DIRECTORIES = 20_000
const MAX_SCAN_MS = 20_000
const MAX_FILE_BYTES = 64 * 1024

/** Of an installation itself: nothing below them is another. */
const coreNames: ReadonlySet<string> = new Set(['wp-admin', 'wp-content', 'wp-includes'])

interface Scan {
  readonly until: number
  readonly items: WordpressFiles[]
  directories: number
  /** Whether something was left out. */
  more: boolean
}

/** A directory below the document root, with those above it. */
interface Level {
  readonly directory: Directory
  /** Names from the document root on. */
  readonly names: readonly string[]
  readonly above: readonly Directory[]
}

/**
 * The installations at a document root and at most four directories below it. Links are not followed; of
 * `wp-config.php` and the files beside it the text is read, at most 64 KiB of each.
 */
export async function wordpress(home: Home, { root }: FileInput<'wordpress'>): Promise<Answered<'wordpress'>> {
  const scan: Scan = { until: performance.now() + MAX_SCAN_MS, items: [], directories: 0, more: false }
  const opened: Directory[] = [await home.directory.again()]
  try {
    for (const part of partsOf(root)) opened.push(await opened.at(-1)!.down(part))
    await scanBelow(scan, { directory: opened.at(-1)!, names: [], above: opened.slice(0, -1) })
  } catch (error) {
    if (!isUnreadable(error)) throw error
    scan.more = !isMissing(error)
  } finally {
    await Promise.all(opened.map((one) => one.close()))
  }
  return { items: scan.items, more: scan.more }
}

async function scanBelow(scan: Scan, level: Level): Promise<void> {
  scan.directories += 1
  const site = await siteAt(level)
  if (site) scan.items.push(site)
  if (level.names.length === MAX_DEPTH) return
  for await (const { name: bytes, isDirectory } of level.directory.entries()) {
    if (isOver(scan)) return
    if (!isDirectory) continue
    const name = plainText(bytes)
    if (name === undefined || name.startsWith('.') || (site && coreNames.has(name))) continue
    await scanInto(scan, level, bytes)
  }
}

function isOver(scan: Scan): boolean {
  const { items, directories, until } = scan
  if (items.length < MAX_WORDPRESS_SITES && directories < MAX_DIRECTORIES && performance.now() <= until) return false
  scan.more = true
  return true
}

async function scanInto(scan: Scan, { directory, names, above }: Level, name: Buffer) {
  const below = await unlessUnreadable(scan, directory.down(name))
  if (!below) return
  try {
    const level = { directory: below, names: [...names, name.toString()], above: [...above, directory] }
    await unlessUnreadable(scan, scanBelow(scan, level))
  } finally {
    await below.close()
  }
}

/** The installation whose core is in a directory. */
async function siteAt({ directory, names, above }: Level): Promise<WordpressFiles | undefined> {
  const version = await textBelow(directory, ['wp-includes', 'version.php'])
  if (version === undefined) return undefined
  const parent = above.at(-1)
  const files: SiteFiles = {
    names,
    version,
    config: await configText(directory, parent),
    index: parent && names.length > 0 ? await textBelow(parent, ['index.php']) : undefined,
    /** A file beside the configuration, or `up` directories above it. */
    read: async (path, up) => {
      const base = up === 0 ? directory : above.at(-up)
      return base && textBelow(base, path)
    },
  }
  return describeFiles(files)
}

/** In its directory or the one above, as WordPress itself looks. */
async function configText(directory: Directory, above: Directory | undefined): Promise<SiteFiles['config']> {
  const own = await textBelow(directory, ['wp-config.php'])
  if (own !== undefined) return { text: own, up: 0 }
  if (!above) return undefined
  const isOfAbove = (await textBelow(above, ['wp-settings.php'])) !== undefined
  const text = isOfAbove ? undefined : await textBelow(above, ['wp-config.php'])
  return text === undefined ? undefined : { text, up: 1 }
}

/** Undefined if there is no such file. */
async function textBelow(directory: Directory, [name, ...more]: readonly string[]): Promise<FileText | undefined> {
  try {
    if (more.length === 0) return await textOf(directory, Buffer.from(name!))
    const below = await directory.down(Buffer.from(name!))
    return await textBelow(below, more).finally(() => below.close())
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return isMissing(error) ? undefined : { left: 'unreadable' }
  }
}

async function textOf(directory: Directory, name: Buffer): Promise<FileText> {
  const file = await directory.openToRead(name)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return { left: 'unreadable' }
    if (stats.size > MAX_FILE_BYTES) return { left: 'large' }
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_FILE_BYTES), 0, MAX_FILE_BYTES, 0)
    return buffer.subarray(0, bytesRead).toString('latin1')
  } finally {
    await file.close()
  }
}

const missing: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR'])
const unreadable: ReadonlySet<string> = new Set([...missing, 'EACCES', 'EPERM', 'ELOOP', 'ENXIO', 'EISDIR'])
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
const isMissing = (error: unknown): boolean => missing.has(codeOf(error))
const isUnreadable = (error: unknown): boolean => unreadable.has(codeOf(error))

/** Leaves out what its owner removed meanwhile, and notes what may not be read. */
async function unlessUnreadable<T>(scan: Scan, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (!isUnreadable(error)) throw error
    if (!isMissing(error)) scan.more = true
    return undefined
  }
}
