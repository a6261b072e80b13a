import { createHash } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { VisibleBrand } from '../../../contract/brand.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { brandLogos, resellers } from '../tables.ts'
import type { Image } from './image.ts'

type BrandView = z.infer<typeof VisibleBrand>

const {
  owner_id: _owner,
  bytes: _bytes,
  ...logo
} = {
  owner_id: brandLogos.owner_id,
  bytes: brandLogos.bytes,
  sha256: brandLogos.sha256,
  type: brandLogos.type,
  width: brandLogos.width,
  height: brandLogos.height,
}

const queries = prepared((db: Db) => ({
  brand: db
    .select({ brand: resellers.brand })
    .from(resellers)
    .where(eq(resellers.account_id, sql.placeholder('owner')))
    .prepare(),
  logo: db
    .select(logo)
    .from(brandLogos)
    .where(eq(brandLogos.owner_id, sql.placeholder('owner')))
    .prepare(),
  bytes: db
    .select({ type: brandLogos.type, bytes: brandLogos.bytes })
    .from(brandLogos)
    .where(eq(brandLogos.sha256, sql.placeholder('sha256')))
    .limit(1)
    .prepare(),
  withHostname: db
    .select({ id: resellers.account_id })
    .from(resellers)
    .where(
      sql`${resellers.brand} IS NOT NULL AND json_extract(${resellers.brand}, '$.hostname') = ${sql.placeholder('name')}`,
    )
    .prepare(),
}))

const isRootId = (db: Db, owner: string): boolean => owner === getSetting(db, 'root_id')

/** An owner's own brand; root's is the server's. */
export function brandOf(db: Db, owner: string): BrandView {
  const brand = isRootId(db, owner) ? getSetting(db, 'brand') : queries(db).brand.get({ owner })?.brand
  const logo = queries(db).logo.get({ owner })
  return { ...brand, ...(logo && { logo }) }
}

/** The brand that an owner's accounts see: the server's where the owner set nothing. */
export function visibleBrand(db: Db, owner: string): BrandView {
  const own = brandOf(db, owner)
  return Object.keys(own).length > 0 ? own : brandOf(db, getSetting(db, 'root_id')!)
}

/** The reseller whose brand the sign-in page of a host name shows. */
export const resellerAt = (db: Db, hostname: string): string | undefined =>
  queries(db).withHostname.get({ name: hostname })?.id

/** A logo's bytes, by the hash in its URL. */
export const logoBytes = (db: Db, sha256: string) => queries(db).bytes.get({ sha256 })

export function keepLogo(db: Db, owner_id: string, { type, width, height }: Image, bytes: Buffer): void {
  const row = { sha256: createHash('sha256').update(bytes).digest('hex'), type, width, height, bytes }
  db.insert(brandLogos)
    .values({ owner_id, ...row })
    .onConflictDoUpdate({ target: brandLogos.owner_id, set: row })
    .run()
}

export const dropLogo = (db: Db, owner: string): void =>
  void db.delete(brandLogos).where(eq(brandLogos.owner_id, owner)).run()
