import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Notice } from '../../contract/notices.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import type { Told } from '../accounts/notice.ts'
import { accounts } from '../accounts/tables.ts'

const queries = prepared((db: Db) => ({
  named: db
    .select({ id: accounts.id, username: accounts.username })
    .from(accounts)
    .where(sql`${accounts.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`)
    .prepare(),
}))

/** Adds the current names of the notices' accounts. */
export function withUsernames(db: Db, notices: readonly Told[]): z.infer<typeof Notice>[] {
  const ids = [...new Set(notices.flatMap(({ account_id }) => account_id ?? []))]
  const names = new Map(
    queries(db)
      .named.all({ ids: JSON.stringify(ids) })
      .map(({ id, username }) => [id, username]),
  )
  return notices.map((notice) => {
    const username = names.get(notice.account_id ?? '')
    return { ...notice, ...(username !== undefined && { username }) }
  })
}
