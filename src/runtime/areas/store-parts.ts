import { inOrder } from '../../store/migrate.ts'
import type { StoreParts } from '../../store/parts.ts'
import { migrations } from '../migrations.ts'
import type { Area } from './area.ts'
import { union } from './merge-areas.ts'

/** More than any backup can lag behind. */
const SEQUENCE_GAP = 1_000_000

/** Event numbers jump ahead, and older cursors are told of a gap. */
const events = `
  CREATE TEMP TABLE horizon AS
    SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) + ${SEQUENCE_GAP} * jumps() AS seq;
  DELETE FROM sqlite_sequence WHERE name = 'events';
  INSERT INTO sqlite_sequence (name, seq) SELECT 'events', seq FROM horizon;
  INSERT INTO settings (name, value) SELECT 'pruned_seq', seq FROM horizon WHERE true
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
  DROP TABLE horizon;`

const ofRuntime: Partial<StoreParts> = { migrations, essential: ['settings'], restore: [events] }

/** What the store must know about the tables of the runtime and all areas. */
export function storePartsOf(areas: readonly Area[]): StoreParts {
  const all = [ofRuntime, ...areas.flatMap(({ stored }) => stored ?? [])]
  return {
    migrations: inOrder(all.flatMap((part) => part.migrations ?? [])),
    essential: all.flatMap(({ essential }) => essential ?? []),
    restore: all.flatMap(({ restore }) => restore ?? []),
    counts: union(
      'count of',
      all.map(({ counts }) => counts),
    ),
    sealed: all.flatMap(({ sealed }) => sealed ?? []),
  }
}
