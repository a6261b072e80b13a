import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accounts } from '../../src/areas/accounts/tables.ts'
import { startPanel } from '../harness.ts'

test('accounts on the host that the server does not know are listed on request', async () => {
  const panel = await startPanel()
  await panel.account('alice')
  const bob = await panel.account('bob')
  const requests = async () => (await panel.get('/host?accounts=true')).body.unknown_accounts
  expect(await requests()).toEqual([])
  // As in a backup from before bob was created.
  await panel.store.change(() => void panel.store.db.delete(accounts).where(eq(accounts.id, bob.id)).run())
  expect(await requests()).toEqual([{ id: bob.id, username: 'bob' }])
  expect((await panel.get('/host')).body).not.toHaveProperty('unknown_accounts')
  expect(panel.events()).toEqual([])
})
