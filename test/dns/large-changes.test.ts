import { expect, test } from 'vitest'
import { recordSteps, recordsOf } from '../../src/areas/dns/store.ts'
import { withZone } from './fixtures.ts'

const creates = (count: number, value = '192.0.2.1') =>
  Array.from({ length: count }, (_, at) => ({ name: `h${at}`, type: 'A', value }))

test('one large change of an account is planned at a time, beside other requests, and one waits', async () => {
  const { panel, zone } = await withZone()
  const large = (at: number) => panel.post(`${zone}/changes`, { create: creates(500, `192.0.2.${at}`) })
  const replies = await Promise.all([1, 2, 3, 4, 5].map(large))
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]!.headers.get('retry-after')).toBe('1')
  expect(replies.filter(({ status }) => status === 202)).toHaveLength(5 - refused.length)
  expect(
    (await panel.post(`${zone}/changes`, { create: [{ name: 'small', type: 'A', value: '192.0.2.1' }] })).status,
  ).toBe(202)
})

test('a large zone is read in steps, in order of creation', async () => {
  const { panel, zone } = await withZone()
  await panel.post(`${zone}/changes`, { create: creates(450) })
  const id = zone.split('/').at(-1)!
  const steps = recordSteps(panel.store.db, id)
  let count = 0
  for (;;) {
    const { done, value } = steps.next()
    if (!done) count++
    else {
      expect(value).toEqual(recordsOf(panel.store.db, id))
      break
    }
  }
  expect(count).toBe(4)
})

test('what was planned for an earlier state of the zone is planned again', async () => {
  const { panel, zone } = await withZone()
  const both = await Promise.all([
    panel.post(`${zone}/changes`, { create: creates(100) }),
    panel.post(`${zone}/changes`, { create: creates(100) }),
  ])
  expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409])
  const refused = both.find(({ status }) => status === 409)!
  expect(refused.body).toMatchObject({
    type: expect.stringMatching(/exists$/),
    fields: { create: expect.stringMatching(/^item 1: value: is there/) },
  })
  const { records, serial } = await list()
  expect(records).toBe(100)
  const small = panel.post(`${zone}/records`, { name: 'small', type: 'A', value: '192.0.2.1' })
  const stale = panel.post(`${zone}/changes`, { create: creates(60, '192.0.2.2'), serial })
  const answers = await Promise.all([small, stale])
  expect(answers.map(({ status }) => status)).toEqual([202, 409])
  expect(answers[1]!.body).toMatchObject({ type: expect.stringMatching(/serial-mismatch$/) })

  async function list() {
    const { body } = await panel.get(`${zone}/records?type=A&q=h&per_page=1`)
    const names = await panel.get(`${zone}/records?per_page=500`)
    return {
      serial: body.serial,
      records: names.body.items.filter(({ name }: { name: string }) => /^h\d+$/.test(name)).length,
    }
  }
})

test('a repeated large change is answered as the first one was', async () => {
  const { panel, zone } = await withZone()
  const again = () =>
    panel.post(`${zone}/changes`, { create: creates(100) }, { headers: { 'Idempotency-Key': 'large' } })
  const first = await again()
  expect(first.status).toBe(202)
  const second = await again()
  expect(second).toMatchObject({ status: 202, body: first.body })
})

test('an error in a large change names its item, and nothing is changed', async () => {
  const { panel, zone } = await withZone()
  const before = (await panel.get(zone)).body.serial
  const create = [...creates(80), { name: 'x', type: 'A', value: 'nowhere' }]
  const answer = await panel.post(`${zone}/changes`, { create })
  expect(answer.status).toBe(400)
  expect(answer.body.fields).toEqual({ create: 'item 81: value: must be an IPv4 address' })
  expect((await panel.get(zone)).body.serial).toBe(before)
})
