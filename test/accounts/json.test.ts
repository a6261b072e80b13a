import { expect, test } from 'vitest'
import { accountById } from '../../src/areas/accounts/store.ts'
import { Account } from '../../src/contract/accounts.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { toAccount } from './row.ts'

/** The account's JSON as returned must equal that of its row, byte for byte. */
async function agree(panel: TestPanel, id: string): Promise<void> {
  const answer = await panel.panel.app.fetch(new Request(`https://host.example:7711/api/v1/accounts/${id}`), {
    local: true,
  })
  const visible = JSON.stringify(toAccount(accountById(panel.store.db, id)!))
  expect(await answer.text()).toBe(visible)
  const { items } = (await panel.get('/accounts?per_page=500')).body
  expect(JSON.stringify(items.find((item: { id: string }) => item.id === id))).toBe(visible)
}

test("an account's JSON made in SQL equals the one made from its row, field by field", async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice')
  const set = (column: string, value: unknown) =>
    panel.store.change(() => void panel.store.sqlite.prepare(`UPDATE accounts SET ${column} = ?`).run(value))
  const columns = panel.store.sqlite.prepare('SELECT name, type, "notnull" FROM pragma_table_info(?)').all('accounts')
  for (const { name, type, notnull } of columns as { name: string; type: string; notnull: 0 | 1 }[]) {
    if (name === 'id' || name.endsWith('_id') || name === 'password_hash') continue
    const before = panel.store.sqlite.prepare(`SELECT ${name} FROM accounts`).pluck().get()
    const values = type === 'TEXT' ? ['root', '"\\/\'\n\t\u0001\u007f é 漢 🐢 </script>'] : [0, 1]
    for (const value of notnull || before !== null ? values : [...values, null]) {
      const taken = await set(name, value).then(
        () => true,
        () => false,
      )
      if (taken) await agree(panel, id)
    }
    await set(name, before)
  }
})

test.each([
  ['provisioned', 0, 'provisioning'],
  ['terminating', 1, 'terminating'],
  ['suspended_at', 1, 'suspended'],
  ['importing_since', 1, 'importing'],
  ['uid', 30_000, 'active'],
])('shows %s = %s in both as %s', async (column, value, status) => {
  const panel = await startPanel()
  const { id } = await panel.account('alice')
  await panel.store.change(() => void panel.store.sqlite.prepare(`UPDATE accounts SET ${column} = ?`).run(value))
  await agree(panel, id)
  expect((await panel.get(`/accounts/${id}`)).body.status).toBe(status)
})

test('resellers, what they own, and use beyond a limit look the same in both', async () => {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true, owns_itself: true })
  const bob = await panel.account('bob', { owner_id: rita.id })
  const change = 'UPDATE accounts SET bw_limit_mb = 5, bw_used_month_mb = 6'
  await panel.store.change(() => void panel.store.sqlite.exec(change))
  for (const { id } of [rita, bob]) await agree(panel, id)
  const { body } = await panel.get(`/accounts/${bob.id}`)
  expect([body.owner_name, body.is_reseller, body.bw_exceeded]).toEqual(['rita', false, true])
  expect(Account.safeParse(body).success).toBe(true)
})
