import type { FilesFromAfar } from '../../../host/contract/client.ts'
import { FileError } from '../../../host/contract/driver.ts'
import { putFile } from '../../files/put-file.ts'

/** Files of well-known programs that name databases, their users and paths; below a document root. */
const configurations = [
  'wp-config.php',
  'configuration.php',
  'sites/default/settings.php',
  '.env',
  'app/etc/env.php',
  'app/config/parameters.php',
  'config/settings.inc.php',
]
const MAX_BYTES = 1024 * 1024

export interface Rewriting {
  readonly literals: Readonly<Record<string, string>>
  readonly roots: readonly string[]
}

export interface Rewritten {
  readonly file: string
  readonly count: number
}

/** Replaces names that have changed in configurations; each former file stays beside the new one. */
export async function rewriteConfigurations(
  files: FilesFromAfar,
  { literals, roots }: Rewriting,
): Promise<Rewritten[]> {
  if (Object.keys(literals).length === 0) return []
  const done: Rewritten[] = []
  for (const file of roots.flatMap((root) => configurations.map((name) => `${root}/${name}`))) {
    const found = await read(files, file)
    if (found === undefined) continue
    const now = rewritten(found.text, literals)
    if (now.count === 0) continue
    const former = `${file}.before-import`
    if ((await read(files, former)) === undefined) await write(files, former, found.text, found.mode)
    await write(files, file, now.text, found.mode)
    done.push({ file, count: now.count })
  }
  return done
}

/** Only whole quoted literals, and whole values of lines as `.env` has them; a path also before a slash. */
export function rewritten(text: string, literals: Readonly<Record<string, string>>): { text: string; count: number } {
  let count = 0
  const names = Object.keys(literals).toSorted((a, b) => b.length - a.length)
  const any = names.map((name) => name.replaceAll(/[^\w]/g, '\\$&')).join('|')
  const replaced = text.replaceAll(
    new RegExp(`(?<=['"]|^\\w+=)(${any})(?=['"]|\\r?$|/)`, 'gm'),
    (found: string, name: string, at: number) => {
      const isBeforeSlash = text[at + found.length] === '/'
      if (isBeforeSlash && !name.startsWith('/')) return found
      count++
      return literals[name]!
    },
  )
  return { text: replaced, count }
}

const encode = (path: string): string => Buffer.from(path).toString('base64')

interface ConfigurationFile {
  readonly text: string
  readonly mode: string
}

async function read(files: FilesFromAfar, path: string): Promise<ConfigurationFile | undefined> {
  try {
    const { answer, stream } = await files.read({ path: encode(path) })
    if (answer.entry.size > MAX_BYTES) {
      stream.destroy()
      return undefined
    }
    const pieces: Buffer[] = []
    for await (const piece of stream) pieces.push(piece as Buffer)
    return { text: Buffer.concat(pieces).toString('latin1'), mode: answer.entry.mode.padStart(4, '0') }
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

async function write(files: FilesFromAfar, path: string, text: string, mode: string): Promise<void> {
  await putFile(files, { path: encode(path), mode, maxBytes: MAX_BYTES * 2 }, Buffer.from(text, 'latin1'))
}
