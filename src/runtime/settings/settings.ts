import { eq, sql } from 'drizzle-orm'
import type { Db, Store } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { settings } from '../tables.ts'

/** The server's settings and internal state. Areas add theirs by declaration merging. */
export interface Settings {
  root_id: string
  server_id: string
  /** The store's current life; a restore begins another, with a higher epoch. */
  incarnation: string
  epoch: number
  /** How often its numbers jumped ahead. */
  moves: number
  /** The epoch of the server that took over from this one. */
  superseded_by: number
  /** That server's life, which decides if the epoch is the same. */
  superseded_life: string | null
  /** Where the server was last reachable: `https://host:port`. */
  served_at: string
  /** The address of the server that this one took over from, until that one knows. */
  predecessor: string | null
  /** The highest event seq that was pruned. */
  pruned_seq: number
  /** When a probe last wrote to the store. */
  probed_at: number
  job_days: number
  audit_days: number
  /** Audit rows before this time may be deleted; a trigger refuses the rest. */
  audit_kept_from: number
  /** The epoch in which all accounts were last applied. */
  swept_epoch: number
}

const queries = prepared((db) => ({
  byName: db
    .select()
    .from(settings)
    .where(eq(settings.name, sql.placeholder('name')))
    .prepare(),
  write: db
    .insert(settings)
    .values({ name: sql.placeholder('name'), value: sql.placeholder('value') })
    .onConflictDoUpdate({ target: settings.name, set: { value: sql`excluded.value` } })
    .prepare(),
}))

/** The state with the higher epoch is the later one, whatever its other numbers say. */
export const epochOf = (db: Db): number => getSetting(db, 'epoch') ?? 1

/** Undefined if it was never set. */
export function getSetting<K extends keyof Settings>(db: Db, name: K): Settings[K] | undefined {
  return queries(db).byName.get({ name })?.value as Settings[K] | undefined
}

const cachedSettings = versionedCache(({ db }, name) => ({ value: getSetting(db, name as keyof Settings) }))

/** A setting that every request needs: cached until the next change. */
export function settingOf<K extends keyof Settings>(store: Store, name: K): Settings[K] | undefined {
  return cachedSettings(store, name)!.value as Settings[K] | undefined
}

/** Writes a setting, or deletes it if null; inside a change. */
export function setSetting<K extends keyof Settings>(db: Db, name: K, value: Settings[K]): void {
  if (value === null) return void db.delete(settings).where(eq(settings.name, name)).run()
  queries(db).write.run({ name, value })
}

export const defaultDays = { job_days: 30, audit_days: 400 } as const

/** How many days finished jobs or audit rows are kept. */
export const retentionDays = (db: Db, name: keyof typeof defaultDays): number =>
  getSetting(db, name) ?? defaultDays[name]

/** The owner of what is root's own. */
export const rootId = (db: Db): string => getSetting(db, 'root_id')!
