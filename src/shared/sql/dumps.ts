/** How an export can be packed. */
export const dumpCompressions = ['gzip', 'zstd', 'none'] as const
export type DumpCompression = (typeof dumpCompressions)[number]

/** The ending of its name. */
export const dumpEndings: Readonly<Record<DumpCompression, string>> = {
  gzip: '.sql.gz',
  zstd: '.sql.zst',
  none: '.sql',
}
