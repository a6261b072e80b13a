import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { migrations } from '../../src/areas/email/migrations/index.ts'
import type { Json } from '../harness.ts'
import { accepted, withMail } from './fixtures.ts'

/** Later migrations add to these tables, so they stay, and get the rows of the one that created them again. */
const rows = migrations[0]!.sql.slice(migrations[0]!.sql.indexOf('INSERT INTO email_domains'))

/** The store as it was when the mail tables were added. */
function withoutMail(dir: string): void {
  const sqlite = new Database(join(dir, 'panel.db'))
  for (const table of ['autoresponders', 'mailboxes', 'forwarders', 'keys', 'domains', 'accounts'])
    sqlite.exec(`DELETE FROM email_${table}`)
  sqlite.exec(rows)
  sqlite.close()
}

test('domains from before the mail tables can have mail, as requested with their account', async () => {
  const { panel, alice, path, ask } = await withMail({}, { mail_routing: 'remote' })
  for (const name of ['shop.example', 'blog.alice.example', '*.alice.example']) {
    accepted(await panel.post(`/accounts/${alice.id}/domains`, { name }))
    await panel.settle()
  }
  const before = (await panel.get(`${path}/domains`)).body.items
  await panel.panel.stop()
  panel.store.close()
  withoutMail(panel.dir)
  await panel.start()
  const { items } = (await panel.get(`${path}/domains`)).body
  expect(items).toEqual(before)
  expect(items.map(({ routing, dkim_enabled }: Json) => [routing, dkim_enabled])).toEqual([
    ['remote', true],
    ['auto', true],
    ['auto', false],
  ])
  accepted(await ask('info@shop.example'))
})
