import type { SourceFiles, SourceFinding, SourceHtaccess } from '../contract/commands/imports.ts'
import type { ArchiveFormat } from './layout.ts'
import type { HomeLink } from './protected-links.ts'
import type { DumpFindings } from './sql.ts'

/** What one pass over an archive has kept: the texts that describe the account, and figures of the rest. */
export interface Collected {
  readonly format: ArchiveFormat
  /** By path below the archive's own directory. */
  readonly texts: ReadonlyMap<string, Buffer>
  /** By path below the home. */
  readonly homeTexts: ReadonlyMap<string, Buffer>
  readonly dumps: ReadonlyMap<string, DumpFindings>
  readonly htaccess: readonly SourceHtaccess[]
  readonly links: readonly HomeLink[]
  /** Messages and bytes by the directory of the mailbox below `mail`, `` for the default address. */
  readonly mail: ReadonlyMap<string, { messages: number; bytes: number; isMdbox: boolean }>
  readonly files: SourceFiles
  readonly sizeBytes: number
  /** Names of the archive that no reader knows, by their first segment. */
  readonly unknown: ReadonlyMap<string, number>
  readonly findings: readonly SourceFinding[]
}
