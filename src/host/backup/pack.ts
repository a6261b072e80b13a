import type { ReadPart } from '../contract/backups.ts'
import { HostError } from '../contract/error.ts'
import { Packer } from '../homes/archive/pack.ts'
import type { Directory } from '../homes/home/directory.ts'
import type { Packing } from './home.ts'
import { superseded } from './releases.ts'

/** Home directories excluded from `files`: mail is a part of its own, the others are not saved. */
const leftOut = new Set(['mail', 'tmp', '.trash', '.panel'])
const own = /^restore-[0-9A-HJKMNP-TV-Z]{26}$/

/** Reads a part of a home into a tar archive. */
export async function pack(home: Directory, part: ReadPart, signal?: AbortSignal): Promise<Packing | undefined> {
  const from = part === 'files' ? await home.again() : await mailOf(home)
  if (!from) return undefined
  const leavesOut = part === 'files' ? await unsaved(from) : () => false
  const packer = new Packer({ leavesOut, specialModes: true, signal })
  return {
    bytes: closing(packer.pack(from), from),
    result: () => ({ files: packer.files, inodes: packer.inodes, bytes: packer.bytes, warnings: packer.warnings() }),
  }
}

async function mailOf(home: Directory): Promise<Directory | undefined> {
  const mail = Buffer.from('mail')
  const stats = await home.find(mail)
  if (!stats) return undefined
  if (!stats.isDirectory()) throw new HostError('stage', 'mail: there is no directory in its place.')
  return home.down(mail)
}

async function unsaved(home: Directory): Promise<(path: readonly Buffer[]) => boolean> {
  const old = await superseded(home)
  return (path) => isLeftOut(path) || (path.length === 4 && old.has(Buffer.concat(path).toString('latin1')))
}

export function isLeftOut(path: readonly Buffer[]): boolean {
  const [name] = path.length === 1 ? [path[0]!.toString('latin1')] : []
  return name !== undefined && (leftOut.has(name) || own.test(name))
}

async function* closing(bytes: AsyncIterable<Buffer>, directory: Directory): AsyncGenerator<Buffer> {
  try {
    yield* bytes
  } finally {
    await directory.close()
  }
}
