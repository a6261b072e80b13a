import { createHash } from 'node:crypto'
import { Problem } from '../../contract/problem.ts'
import type { BackupText } from '../../host/contract/driver.ts'
import type { BackupRow } from './tables.ts'

/** Identifies what the panel itself wrote into a backup. */
export function digestOf(texts: readonly BackupText[]): string {
  const sorted = texts.map(({ name, text }) => [name, text] as const).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex')
}

/** Rows are restored from these texts, but the node that stores them may be hostile. Older backups have no digest. */
export function refuseChanged({ texts_sha256 }: Pick<BackupRow, 'texts_sha256'>, texts: readonly BackupText[]): void {
  if (texts_sha256 === null || digestOf(texts) === texts_sha256) return
  throw new Problem('incomplete', 'The backup is damaged: its settings are not those that the panel saved.')
}
