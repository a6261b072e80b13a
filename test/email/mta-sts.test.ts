import { expect, test } from 'vitest'
import { day, minute } from '../../src/shared/time.ts'
import { zoneOf } from '../dns/fixtures.ts'
import type { Json } from '../harness.ts'
import { accepted, nothing, occurred, problem, withMail } from './fixtures.ts'

/** A verified domain, and its policy. */
async function world() {
  const mail = await withMail()
  const { panel, alice, path, read } = mail
  await panel.verify(alice.id)
  await panel.settle()
  const [{ id }] = (await panel.get(`${path}/domains`)).body.items
  const at = `${path}/domains/${id}/mta-sts`
  const zone = await zoneOf(panel, alice.id, 'alice.example')
  const set = (mode: string) => panel.put(at, { mode })
  const found = async () => {
    const all: Json[] = await zone.records('&q=mta-sts')
    return all.map(({ name, type, value }) => `${name} ${type} ${value}`).sort()
  }
  const vhost = () => read('etc/panel/nginx/sites/alice.example.conf')
  panel.forget()
  return { ...mail, at, zone, set, found, vhost, show: async () => (await panel.get(at)).body, domain: id }
}

test('a policy is served, announced in the zone, and ends after the time that senders keep it', async () => {
  const { panel, show, set, found, vhost, zone } = await world()
  expect(await show()).toEqual({ domain: 'alice.example', mode: 'none', proven: false, mx: ['mail.alice.example'] })
  accepted(await set('none'))
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.domain.update succeeded'] })
  expect(await found()).toEqual([])
  panel.forget()
  accepted(await set('testing'))
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.created', 'dns.record.created', 'job.completed'],
    jobs: ['email.domain.update succeeded'],
  })
  const first = await show()
  const id = Number(first.policy_id)
  expect(first).toEqual({
    ...{ domain: 'alice.example', mode: 'testing', proven: false, mx: ['mail.alice.example'], max_age: 86_400 },
    policy_id: String(Math.floor(panel.clock.now() / 1000)),
    url: 'https://mta-sts.alice.example/.well-known/mta-sts.txt',
    record: { name: '_mta-sts.alice.example', value: `v=STSv1; id=${id};` },
  })
  expect(await found()).toEqual([`_mta-sts TXT v=STSv1; id=${id};`, 'mta-sts A 192.0.2.2'])
  expect(zone.file('alice.example')).toContain(`_mta-sts IN TXT "v=STSv1; id=${id};"`)
  const text = String.raw`version: STSv1\r\nmode: testing\r\nmx: mail.alice.example\r\nmax_age: 86400\r\n`
  expect(vhost()).toContain(`return 200 '${text}';`)
  panel.forget()
  accepted(await set('none'))
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.updated', 'job.completed'],
    jobs: ['email.domain.update succeeded'],
  })
  expect(await show()).toMatchObject({ mode: 'none', policy_id: String(id + 1), ends_at: panel.clock.now() + day })
  expect(vhost()).toContain('mode: none')
  panel.forget()
  panel.clock.jump(day)
  await panel.clock.advance(minute)
  await panel.settle()
  expect((await occurred(panel)).events.filter((type: string) => type.startsWith('dns.'))).toEqual([
    'dns.record.deleted',
    'dns.record.deleted',
  ])
  expect(await found()).toEqual([])
  expect(vhost()).not.toContain('STSv1')
  expect(await show()).toMatchObject({ mode: 'none' })
})

test('a policy names the mail servers of the zone, within a minute of a change', async () => {
  const { panel, set, show, zone, vhost } = await world()
  accepted(await set('testing'))
  await panel.settle()
  const before = await show()
  accepted(await zone.add('@', 'MX', 'mx2.elsewhere.example.', { priority: 20 }))
  await panel.settle()
  panel.forget()
  await panel.clock.advance(minute)
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.updated', 'job.completed'],
    jobs: ['email.domain.update succeeded'],
  })
  const after = await show()
  expect(after.mx).toEqual(['mail.alice.example', 'mx2.elsewhere.example'])
  expect(Number(after.policy_id)).toBeGreaterThan(Number(before.policy_id))
  expect(vhost()).toContain(String.raw`mx: mail.alice.example\r\nmx: mx2.elsewhere.example\r\n`)
  accepted(await zone.add('other', 'A', '192.0.2.9'))
  await panel.settle()
  panel.forget()
  await panel.clock.advance(minute)
  expect(await occurred(panel)).toEqual(nothing)
})

test('enforce needs proven certificates, a policy needs mail here, and a refusal changes nothing', async () => {
  const { panel, set, show, path, domain, alice, found } = await world()
  const refused = await set('enforce')
  expect(problem(refused)).toEqual([409, 'not-configured'])
  expect(refused.body.detail).toContain('proves mta-sts.alice.example, mail.alice.example.')
  accepted(await panel.put(`${path}/domains/${domain}/routing`, { routing: 'remote' }))
  await panel.settle()
  panel.forget()
  expect(problem(await set('testing'))).toEqual([409, 'not-configured'])
  accepted(await panel.put(`${path}/domains/${domain}/routing`, { routing: 'local' }))
  const name = 'mta-sts.alice.example'
  accepted(await panel.post(`/accounts/${alice.id}/domains`, { name }))
  await panel.settle()
  panel.forget()
  expect(problem(await set('testing'))).toEqual([409, 'not-configured'])
  expect(await show()).toMatchObject({ mode: 'none' })
  expect(await occurred(panel)).toEqual(nothing)
  expect(await found()).toEqual(['mta-sts A 192.0.2.2'])
})

test.each([
  { mode: 'always' },
  { mode: 'testing\nmx: evil.example' },
  { mode: null },
  { mode: 'testing', mx: ['evil.example'] },
  {},
])('%j is refused', async (body) => {
  const { panel, at } = await world()
  expect((await panel.put(at, body)).status).toBe(400)
  expect(await occurred(panel)).toEqual(nothing)
})

test("the customer's own record stays, and the check names the one to set", async () => {
  const { panel, set, zone, path, domain, found, show } = await world()
  accepted(await zone.add('_mta-sts', 'TXT', 'v=STSv1; id=mine;'))
  await panel.settle()
  accepted(await set('testing'))
  expect(await found()).toEqual(['_mta-sts TXT v=STSv1; id=mine;', 'mta-sts A 192.0.2.2'])
  const { records } = (await panel.get(`${path}/domains/${domain}/dns`)).body
  const row = records.find(({ kind }: Json) => kind === 'mta_sts')
  expect(row.wanted).toBe((await show()).record.value)
})

test('a reset keeps the policy, and the feature of zones is needed to change it', async () => {
  const { panel, alice, set, zone, found, at } = await world()
  accepted(await set('testing'))
  await panel.settle()
  const before = await found()
  accepted(await panel.post(`${zone.zone}/reset`))
  expect(await found()).toEqual(before)
  await panel.patch(`/feature-lists/${alice.feature_list_id}`, { features: { zone_edit: false } })
  const token = await panel.token(['email:write'], { account: alice.id })
  const reply = await panel.put(at, { mode: 'none' }, { token })
  expect([reply.status, reply.code]).toEqual([403, 'feature-disabled'])
  expect(await found()).toEqual(before)
})
