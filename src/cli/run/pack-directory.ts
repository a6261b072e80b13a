import {
  createReadStream,
  createWriteStream,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { reasonOf } from '../../shared/system-error.ts'
import { usage } from '../errors.ts'
import { type IgnoreFile, isIgnored, readIgnoreFile } from './ignore-rules.ts'
import { type TarEntry, tarEnd, tarHeader, tarPadding } from './tar-writer.ts'

/** A packed directory, in a temporary file. */
export interface Packed {
  readonly file: string
  readonly files: number
  /** What was left out, at the topmost path of each. */
  readonly leftOut: readonly string[]
  remove(): void
}

/** Never part of a source: what version control and package managers keep beside it. */
const never = new Set(['.git', '.hg', '.svn', '.DS_Store', 'node_modules', '.venv', '__pycache__'])

/** Packs a directory as tar.gz, without what its .gitignore files leave out. */
export async function packDirectory(directory: string): Promise<Packed> {
  const top = resolve(directory)
  refuseOther(directory, top)
  const leftOut: string[] = []
  const entries = [...entriesIn(top, '', [], leftOut)]
  const files = entries.filter(({ kind }) => kind !== 'directory').length
  if (files === 0)
    throw usage(`${directory} has no files to deploy${leftOut.length > 0 ? `: ${leftOut.join(', ')} is left out` : ''}`)
  const folder = mkdtempSync(join(tmpdir(), 'panel-deploy-'))
  const file = join(folder, `${basename(top) || 'source'}.tar.gz`)
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    await pipeline(Readable.from(tarOf(top, entries)), createGzip(), createWriteStream(file, { mode: 0o600 }))
  } catch (error) {
    remove()
    throw error
  }
  return { file, files, leftOut, remove }
}

const MAX_LEFT_OUT = 8

/** How much was packed, and without what. */
export function packedText(directory: string, { files, leftOut }: Packed): string {
  const more = leftOut.length > MAX_LEFT_OUT ? ` and ${leftOut.length - MAX_LEFT_OUT} more` : ''
  const without = leftOut.length === 0 ? '' : `, without ${leftOut.slice(0, MAX_LEFT_OUT).join(', ')}${more}`
  return `packed ${files} ${files === 1 ? 'file' : 'files'} of ${directory}${without}`
}

function refuseOther(directory: string, top: string): void {
  try {
    if (statSync(top).isDirectory()) return
  } catch (error) {
    throw usage(`${directory}: ${reasonOf(error)}`)
  }
  throw usage(`${directory} is not a directory`, 'panel apps deploy shop --archive site.zip')
}

function* entriesIn(top: string, below: string, above: readonly IgnoreFile[], leftOut: string[]): Generator<TarEntry> {
  const names = readdirSync(join(top, below)).sort()
  const own = names.includes('.gitignore') ? [readIgnoreFile(below, textOf(join(top, below, '.gitignore')))] : []
  const ignores = [...above, ...own]
  for (const name of names) {
    const path = `${below}${name}`
    const stats = lstatSync(join(top, path))
    if (never.has(name) || isIgnored(ignores, path, stats.isDirectory())) leftOut.push(path)
    else if (stats.isDirectory()) {
      yield { path, kind: 'directory', mode: 0o755, size: 0, mtimeMs: stats.mtimeMs }
      yield* entriesIn(top, `${path}/`, ignores, leftOut)
    } else if (stats.isSymbolicLink()) {
      const target = readlinkSync(join(top, path))
      yield { path, kind: 'link', mode: 0o777, size: 0, mtimeMs: stats.mtimeMs, target }
    } else if (stats.isFile())
      yield { path, kind: 'file', mode: stats.mode & 0o755, size: stats.size, mtimeMs: stats.mtimeMs }
    else leftOut.push(path)
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // A directory or a broken link has no rules.
    return ''
  }
}

async function* tarOf(top: string, entries: readonly TarEntry[]): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    yield tarHeader(entry)
    if (entry.kind !== 'file') continue
    yield* contentOf(join(top, entry.path), entry.size)
    yield tarPadding(entry.size)
  }
  yield tarEnd
}

/** As many bytes as the header says, though the file may change meanwhile. */
async function* contentOf(path: string, size: number): AsyncGenerator<Buffer> {
  let left = size
  if (size > 0)
    for await (const chunk of createReadStream(path, { end: size - 1 })) {
      left -= (chunk as Buffer).length
      yield chunk as Buffer
    }
  if (left > 0) throw usage(`${path} became shorter while it was read: run the command again`)
}
