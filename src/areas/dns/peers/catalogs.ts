import { createHash } from 'node:crypto'
import { and, asc, count, eq, isNotNull, isNull } from 'drizzle-orm'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { zones } from '../tables.ts'
import { catalogs } from './tables.ts'

/** Zones per catalog. */
const MAX_CATALOG_MEMBERS = 10_000
const perCommit = 2_000

/** A catalog for the host's desired state. */
export interface Catalog {
  readonly number: number
  readonly serial: number
  readonly zones: readonly string[]
}

/** Every zone of the host, in a catalog that it never leaves: peers would recreate a zone that moved to another one. */
export async function catalogsOf({ store }: Pick<Runtime, 'store'>): Promise<readonly Catalog[]> {
  const { db } = store
  while (unassigned(db).length > 0) await store.change(() => assign(db))
  return store.change(() => numbersOf(db).map((number) => catalogOf(db, number)))
}

/** As they are now, read-only; zones not yet in a catalog are left out. */
export const catalogsSeen = ({ store }: Pick<Runtime, 'store'>): readonly Catalog[] =>
  numbersOf(store.db).map((number) => seen(store.db, number))

const unassigned = (db: Db): { id: string }[] =>
  db
    .select({ id: zones.id })
    .from(zones)
    .where(and(isNull(zones.catalog), isNotNull(zones.applied_serial)))
    .orderBy(asc(zones.id))
    .limit(perCommit)
    .all()

function assign(db: Db): void {
  const stored = db
    .select({ number: zones.catalog, members: count() })
    .from(zones)
    .where(isNotNull(zones.catalog))
    .groupBy(zones.catalog)
    .all()
  const members = new Map(stored.map(({ number, members }) => [number!, members]))
  for (const { id } of unassigned(db)) {
    const number = withRoom(members)
    members.set(number, (members.get(number) ?? 0) + 1)
    db.update(zones).set({ catalog: number }).where(eq(zones.id, id)).run()
  }
}

function withRoom(members: ReadonlyMap<number, number>): number {
  let number = 1
  while ((members.get(number) ?? 0) >= MAX_CATALOG_MEMBERS) number++
  return number
}

/** The first catalog exists even if it is empty, and no catalog is ever removed. */
function numbersOf(db: Db): number[] {
  const known = db.select({ number: catalogs.number }).from(catalogs).all()
  const used = db.selectDistinct({ number: zones.catalog }).from(zones).where(isNotNull(zones.catalog)).all()
  return [...new Set([1, ...known.map(({ number }) => number), ...used.map(({ number }) => number!)])].sort(
    (one, other) => one - other,
  )
}

/** Raises the serial if the content has changed. */
function catalogOf(db: Db, number: number): Catalog {
  const { digest, before, ...catalog } = looked(db, number)
  const { serial } = catalog
  if (serial !== before?.serial)
    db.insert(catalogs)
      .values({ number, serial, digest })
      .onConflictDoUpdate({ target: catalogs.number, set: { serial, digest } })
      .run()
  return catalog
}

function seen(db: Db, number: number): Catalog {
  const { serial, zones } = looked(db, number)
  return { number, serial, zones }
}

function looked(db: Db, number: number) {
  const names = db
    .select({ name: zones.name })
    .from(zones)
    .where(and(eq(zones.catalog, number), isNotNull(zones.applied_serial)))
    .orderBy(asc(zones.name))
    .all()
    .map(({ name }) => name)
  const digest = createHash('sha256').update(names.join()).digest('hex')
  const before = db.select().from(catalogs).where(eq(catalogs.number, number)).get()
  const serial = before?.digest === digest ? before.serial : (before?.serial ?? 0) + 1
  return { number, serial, zones: names, digest, before }
}
