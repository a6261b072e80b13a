import { randomInt } from 'node:crypto'
import { eq, lte } from 'drizzle-orm'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import { type DomainRow, domains, type PreviewRow, previews } from '../tables.ts'

const LABEL_LETTERS = 32
const letters = 'abcdefghijklmnopqrstuvwxyz'

/** Random: the name is the only key to a preview. */
export const newLabel = (): string =>
  Array.from({ length: LABEL_LETTERS }, () => letters[randomInt(letters.length)]).join('')

export const previewOf = (db: Db, domain: string): PreviewRow | undefined =>
  db.select().from(previews).where(eq(previews.domain_id, domain)).get()

export const setPreview = ({ db }: Pick<Context, 'db'>, row: PreviewRow): void =>
  void db
    .insert(previews)
    .values(row)
    .onConflictDoUpdate({ target: previews.domain_id, set: { expires_at: row.expires_at } })
    .run()

export const removePreview = ({ db }: { readonly db: Db }, domain: string): void =>
  void db.delete(previews).where(eq(previews.domain_id, domain)).run()

/** Domains with a preview: all, those of an account, or those whose time has passed. */
export const domainsWithPreview = (db: Db, only: { account?: string; until?: number } = {}): DomainRow[] =>
  db
    .select({ domain: domains })
    .from(previews)
    .innerJoin(domains, eq(domains.id, previews.domain_id))
    .where(
      only.account !== undefined
        ? eq(domains.account_id, only.account)
        : only.until !== undefined
          ? lte(previews.expires_at, only.until)
          : undefined,
    )
    .all()
    .map(({ domain }) => domain)
