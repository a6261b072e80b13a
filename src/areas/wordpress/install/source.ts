import { createHash } from 'node:crypto'
import type { Outgoing } from '../../../outgoing/client.ts'
import { OutgoingError } from '../../../outgoing/error.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import {
  type Archive,
  type ArchiveSource,
  type Extension,
  extensionName,
  nameOf,
  newestOf,
  SourceError,
} from './archives.ts'
import { directoryAt } from './directory-source.ts'
import { mirrorAt, wordpressOrg } from './web-source.ts'

declare module '../../../runtime/settings/settings.ts' {
  interface Settings {
    /** Where WordPress is installed from; null: wordpress.org. */
    wordpress_source: string | null
  }
}

const outgoingOf = new WeakMap<Runtime, Outgoing>()
export const useOutgoing = (runtime: Runtime, outgoing: Outgoing): void => void outgoingOf.set(runtime, outgoing)

const MAX_ARCHIVE_BYTES = 128 * 1024 * 1024
const MAX_CHECKSUM_BYTES = 1024
const hexLengths = { sha256: 64, sha1: 40 } as const

export function sourceOf(runtime: Runtime): ArchiveSource {
  const place = getSetting(runtime.store.db, 'wordpress_source')
  if (place?.startsWith('/')) return directoryAt(place)
  const outgoing = outgoingOf.get(runtime)!
  return place == null ? wordpressOrg(outgoing) : mirrorAt(outgoing, place)
}

/** The archive to install: the newest of its language if no version is given; undefined if there is none. */
export async function findArchive(
  source: ArchiveSource,
  { version, locale }: { readonly version: string | undefined; readonly locale: string | undefined },
  signal: AbortSignal,
): Promise<Archive | undefined> {
  return reaching(async () => {
    const found = version ?? newestOf(await source.versions(locale, signal))
    if (found === undefined) return undefined
    const archive = { version: found, locale }
    return (await checksumOf(source, archive, signal)) === undefined ? undefined : archive
  })
}

/** The archive's bytes, once they have the checksum that the source gives. */
export async function fetchArchive(source: ArchiveSource, archive: Archive, signal: AbortSignal): Promise<Buffer> {
  const file = { name: nameOf(archive), title: `WordPress ${archive.version}`, checksum: source.checksum }
  return reaching(() => fetchVerified(source, file, signal))
}

/** The newest version of a plugin or theme; undefined if the source does not have it. */
export const newestExtension = (
  source: ArchiveSource,
  { kind, slug }: Omit<Extension, 'version'>,
  signal: AbortSignal,
): Promise<string | undefined> => reaching(async () => newestOf(await source.extensionVersions(kind, slug, signal)))

/** The same bytes of a plugin or a theme. */
export function fetchExtension(source: ArchiveSource, extension: Extension, signal: AbortSignal): Promise<Buffer> {
  const title = `${extension.slug} ${extension.version}`
  const file = { name: extensionName(extension), title, checksum: source.extensionChecksum }
  return reaching(() => fetchVerified(source, file, signal))
}

interface SourceFile {
  readonly name: string
  readonly title: string
  readonly checksum: keyof typeof hexLengths | undefined
}

async function fetchVerified(source: ArchiveSource, file: SourceFile, signal: AbortSignal): Promise<Buffer> {
  const expected = file.checksum && (await hashOf(source, file.name, file.checksum, signal))
  const isOffered = expected !== undefined || file.checksum === undefined
  const bytes = isOffered ? await source.read(file.name, MAX_ARCHIVE_BYTES, signal) : undefined
  if (bytes === undefined) throw new SourceError(`The source has no ${file.title} any more.`)
  if (file.checksum && createHash(file.checksum).update(bytes).digest('hex') !== expected)
    throw new SourceError(`${file.title} does not have the checksum that the source gives for it.`)
  return bytes
}

const checksumOf = (source: ArchiveSource, archive: Archive, signal: AbortSignal): Promise<string | undefined> =>
  hashOf(source, nameOf(archive), source.checksum, signal)

async function hashOf(
  source: ArchiveSource,
  name: string,
  algorithm: keyof typeof hexLengths,
  signal: AbortSignal,
): Promise<string | undefined> {
  const text = await source.read(`${name}.${algorithm}`, MAX_CHECKSUM_BYTES, signal)
  const [hash = ''] = text?.toString('latin1').trim().toLowerCase().split(/\s/) ?? []
  return new RegExp(`^[0-9a-f]{${hexLengths[algorithm]}}$`).test(hash) ? hash : undefined
}

const reasons: Readonly<Record<OutgoingError['kind'], string>> = {
  timeout: 'it did not answer in time',
  dns: 'its name was not found',
  connect: 'no connection was made',
  tls: 'its certificate is not valid',
  'blocked-address': 'it is at an address that is not allowed',
  answer: 'its answer could not be understood',
}

async function reaching<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    throw new SourceError(`The source of WordPress could not be reached: ${reasons[error.kind]}.`)
  }
}
