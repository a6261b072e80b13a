import { expect, test } from 'vitest'
import { accepted, problem, withMail } from '../email/fixtures.ts'

const LONG_TEXT = '\u{1F600}'.repeat(127)
const filter = (n: number) => ({
  name: `filter ${n}`,
  when: Array.from({ length: 20 }, () => ({ field: 'subject', test: 'contains', value: LONG_TEXT })),
  then: [{ action: 'move', folder: `Folder ${n}` }],
})
/** Nearly as much as one request can have. */
const filters = { items: Array.from({ length: 90 }, (_, n) => filter(n)) }

test('settings never grow so large that the host could not take them: the account can still be suspended', async () => {
  const { panel, alice, path, ask } = await withMail()
  const boxes: string[] = []
  for (let n = 0; n < 20; n++)
    boxes.push(`${path}/accounts/${accepted(await ask(`info${n}@alice.example`)).mailbox.id}`)
  await panel.settle()
  const fill = (box: string | undefined) => panel.put(`${box}/filters`, filters)

  // No job has applied them yet.
  const replies = []
  for (const box of boxes) replies.push(await fill(box))
  const refused = replies.filter(({ status }) => status !== 202)
  expect(refused.length).toBeGreaterThan(5)
  for (const reply of refused) expect(problem(reply)).toEqual([409, 'limit-reached'])
  expect(problem(await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' }))).toEqual([202, undefined])

  // What makes them smaller is never refused, and makes room.
  expect((await panel.put(`${boxes[0]}/filters`, { items: [] })).status).toBe(202)
  expect((await panel.delete(boxes[1]!)).status).toBe(202)
  expect((await fill(boxes[19])).status).toBe(202)
  await panel.settle()
  expect((await panel.get(`/accounts/${alice.id}/jobs?status=failed`)).body.items).toEqual([])
}, 90_000)
