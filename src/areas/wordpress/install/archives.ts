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

/** Where archives come from. What is not there is undefined; what cannot be reached throws. */
export interface ArchiveSource {
  /** What it has in a language. */
  versions(locale: string | undefined, signal: AbortSignal): Promise<readonly string[]>
  read(name: string, maxBytes: number, signal: AbortSignal): Promise<Buffer | undefined>
  /** Which hash is beside each archive, in a file with that ending. */
  readonly checksum: 'sha256' | 'sha1'
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

export const newestOf = (versions: readonly string[]): string | undefined =>
  versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
