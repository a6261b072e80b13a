import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { accepted, withMail } from '../email/fixtures.ts'

const filter = (n: number) => ({
  name: `filter ${n}`,
  when: Array.from({ length: 20 }, () => ({ field: 'subject', test: 'contains', value: 'x'.repeat(255) })),
  then: [{ action: 'keep' }],
})

test('keeps sizes and hashes of large changes, and small ones as they are', async () => {
  const { panel, alice, mailbox } = await withMail()
  const { path } = await mailbox('info@alice.example')
  const small = [filter(0)]
  const large = Array.from({ length: 60 }, (_, n) => filter(n))
  accepted(await panel.put(`${path}/filters`, { items: small }))
  accepted(await panel.put(`${path}/filters`, { items: large }))
  accepted(await panel.put(`${path}/filters`, { items: [] }))
  const reply = await panel.get(`/accounts/${alice.id}/audit?operation=setMailFilters&order=asc`)
  const stored = JSON.stringify(large)
  const recorded = `${stored.length} bytes, SHA-256 ${createHash('sha256').update(stored).digest('hex')}`
  const changes = reply.body.items.map(({ before, after }: Record<string, unknown>) => ({ before, after }))
  expect(changes).toEqual([
    { before: { filters: [] }, after: { filters: small } },
    { before: { filters: small }, after: { filters: recorded } },
    { before: { filters: recorded }, after: { filters: [] } },
  ])
})

test('keeps the details of a customer within an allowance, and those of root and of others beside it', async () => {
  const { panel, alice, mailbox } = await withMail()
  const { path } = await mailbox('info@alice.example')
  const token = await panel.token(['full-access'], { account: alice.id })
  const items = [filter(0)]
  const set = (n: number, options?: object) =>
    panel.put(`${path}/filters`, { items: [...items, { ...filter(n % 2), name: `${n}` }] }, options)
  const newest = async (): Promise<unknown> =>
    (await panel.get(`/accounts/${alice.id}/audit?operation=setMailFilters&order=desc&per_page=1`)).body.items[0].after
  for (let n = 0; n < 200; n++) {
    accepted(await set(n, { token }))
    if (n % 50 === 49) await panel.clock.leap(60_000)
  }
  expect(await newest()).toEqual({ fields: 1 })
  accepted(await set(1000))
  expect(await newest()).toMatchObject({ filters: [{}, { name: '1000' }] })
  await panel.clock.leap(15 * 60_000)
  accepted(await set(1001, { token }))
  expect(await newest()).toMatchObject({ filters: [{}, { name: '1001' }] })
})
