import type { ImportSource } from '../contract/commands/imports.ts'
import { FileError } from '../contract/error.ts'
import { Collector } from './collect.ts'
import type { Collected } from './collected.ts'
import { isCpanel, readCpanel } from './cpanel.ts'
import { isDirectAdmin, readDirectAdmin } from './directadmin.ts'
import { isHestia, readHestia } from './hestia.ts'
import type { ArchiveFormat } from './layout.ts'
import { Counted, notAnArchive, unpacked } from './open.ts'
import { ArchiveWalk, type WalkLimits } from './walk.ts'

interface Reader {
  isFormat(collected: Collected): boolean
  read(collected: Collected): ImportSource
}

const readers: Readonly<Record<ArchiveFormat, Reader>> = {
  cpanel: { isFormat: isCpanel, read: readCpanel },
  directadmin: { isFormat: isDirectAdmin, read: readDirectAdmin },
  hestia: { isFormat: isHestia, read: readHestia },
}

/** Reads an archive once, and writes nothing: the account that is in it, of a damaged one as far as it goes. */
export async function readSource(
  bytes: AsyncIterable<Buffer>,
  limits: WalkLimits,
  signal?: AbortSignal,
): Promise<ImportSource> {
  const counted = new Counted(bytes)
  const collector = new Collector(new ArchiveWalk(limits))
  try {
    await collector.collect(unpacked(counted, signal))
  } catch (error) {
    signal?.throwIfAborted()
    const damage = damageAt(error, counted.read)
    const read = damage instanceof FileError ? sourceIn(collector, counted.read) : undefined
    if (!read?.username) throw damage
    return { ...read, damage: (damage as FileError).message }
  }
  const source = sourceIn(collector, counted.read)
  if (source) return source
  throw notAnArchive()
}

function sourceIn(collector: Collector, sizeBytes: number): ImportSource | undefined {
  const collected = collector.collected(sizeBytes)
  const reader = readers[collected.format]
  return reader.isFormat(collected) ? reader.read(collected) : undefined
}

/** Replaces the error of a decompressor by the position where it occurred. */
export function damageAt(error: unknown, at: number): unknown {
  const { message, code = '' } = error as NodeJS.ErrnoException
  const isOfReader = /^(?:Z_|ERR_)/.test(code) || message.includes('could not read')
  if (error instanceof FileError ? !message.startsWith('The archive is damaged') : !isOfReader) return error
  return new FileError('validation', `The archive is damaged or incomplete at byte ${at}.`, 'path')
}
