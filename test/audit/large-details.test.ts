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
