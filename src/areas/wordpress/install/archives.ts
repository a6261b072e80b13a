/** The archives that a source has, by their names. */
export interface Archive {
  readonly version: string
  /** Undefined for en_US. */
  readonly locale: string | undefined
}

const form = /^wordpress-(\d{1,2}(?:\.\d{1,3}){1,2})(?:-([A-Za-z_]{2,20}))?\.tar\.gz$/

export const nameOf = ({ version, locale }: Archive): string =>
  `wordpress-${version}${locale === undefined ? '' : `-${locale}`}.tar.gz`

export function archiveNamed(name: string): Archive | undefined {
  const [, version, locale] = form.exec(name) ?? []
  return version === undefined ? undefined : { version, locale }
}

export type ExtensionKind = 'plugins' | 'themes'

/** A plugin's or a theme's archive. */
export interface Extension {
  readonly kind: ExtensionKind
  readonly slug: string
  readonly version: string
}

export const extensionName = ({ kind, slug, version }: Extension): string => `${kind}/${slug}.${version}.zip`

const extensionVersion = /^\d[0-9A-Za-z._+-]{0,31}$/

/** The versions of a plugin or theme among names of files. */
export const extensionVersionsIn = (names: readonly string[], slug: string): string[] =>
  names.flatMap((name) => {
    const version = name.startsWith(`${slug}.`) && name.endsWith('.zip') ? name.slice(slug.length + 1, -4) : ''
    return extensionVersion.test(version) ? version : []
  })

/** Where archives come from. What is not there is undefined; what cannot be reached throws. */
export interface ArchiveSource {
  /** What it has in a language. */
  versions(locale: string | undefined, signal: AbortSignal): Promise<readonly string[]>
  /** Of a plugin or a theme. */
  extensionVersions(kind: ExtensionKind, slug: string, signal: AbortSignal): Promise<readonly string[]>
  read(name: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | undefined>
  /** Which hash is beside each archive, in a file with that ending. */
  readonly checksum: 'sha256' | 'sha1'
  /** The same of plugins and themes; wordpress.org has none, and is believed by its certificate. */
  readonly extensionChecksum?: 'sha256' | undefined
}

/** Says in a sentence for users why the archive cannot be had; without its address. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

export const versionsIn = (names: readonly string[], locale: string | undefined): string[] =>
  names
    .flatMap((name) => archiveNamed(name) ?? [])
    .filter((one) => one.locale === locale)
    .map(({ version }) => version)

const compared = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true })

export const newestOf = (versions: readonly string[]): string | undefined => versions.toSorted(compared).at(-1)

export const isNewer = (version: string, than: string): boolean => compared(version, than) > 0
