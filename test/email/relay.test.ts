import { expect, test } from 'vitest'
import { hour, minute } from '../../src/shared/time.ts'
import type { Json } from '../harness.ts'
import { accepted, nothing, occurred, problem, withMail } from './fixtures.ts'

const secret = 'relay-password-1'
const office = { host: 'smtp.office.example', port: 465, tls: 'tls', username: 'alice', password: secret }
const relay = '@alice.example relay-sender-tls:[smtp.office.example]:465'

/** A verified domain whose relay's name leads to the addresses of `names`. */
async function world(names: Record<string, string[]> = { 'smtp.office.example': ['93.184.216.34'] }) {
  const resolve = async (name: string) => names[name] ?? Promise.reject(new Error(`no address of ${name}`))
  const mail = await withMail({ outgoing: { resolve } })
  const { panel, alice, path } = mail
  await panel.verify(alice.id)
  await panel.settle()
  const [{ id }] = (await panel.get(`${path}/domains`)).body.items
  const at = `${path}/domains/${id}/relay`
  panel.forget()
  const set = (over: object = {}) => panel.put(at, { ...office, ...over })
  const transports = () => mail.map('relaytransports')
  return { ...mail, names, at, id, set, transports, show: async () => (await panel.get(at)).body as Json }
}

test('mail of a domain leaves by the relay that its owner sets, and as before once it is deleted', async () => {
  const { panel, at, set, show, transports, map } = await world()
  expect(problem(await panel.get(at))).toEqual([404, 'not-found'])
  expect(problem(await panel.delete(at))).toEqual([404, 'not-found'])
  const reply = await set()
  expect(accepted(reply).domain.domain).toBe('alice.example')
  expect(await show()).toMatchObject({ in_use: false })
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.domain.update succeeded'] })
  const { created_at, updated_at, ...view } = await show()
  const { password: _, ...rest } = office
  expect(view).toEqual({ domain: 'alice.example', ...rest, in_use: true })
  expect(transports()).toEqual([relay])
  expect(map('relaypasswords')).toEqual([`@alice.example alice:${secret}`])
  const seen = [reply.body, await show(), (await panel.get('/audit')).body, (await panel.get('/jobs')).body]
  expect(JSON.stringify(seen)).not.toContain(secret)
  accepted(await set({ port: 587, tls: 'starttls', username: undefined, password: undefined }))
  await panel.settle()
  expect(await show()).not.toHaveProperty('username')
  expect([transports(), map('relaypasswords')]).toEqual([
    ['@alice.example relay-sender-starttls:[smtp.office.example]:587'],
    [],
  ])
  panel.forget()
  accepted(await panel.delete(at))
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.domain.update succeeded'] })
  expect(transports()).toEqual([])
})

test("root's relay for the domain comes first, the customer's before that of the account", async () => {
  const { panel, set, transports, at } = await world()
  const ses = { name: 'ses', host: 'smtp.relay.example', port: 587, tls: 'starttls' }
  const root = accepted(await panel.post('/smtp-relays', { ...ses, for: { accounts: ['alice'] } }))
  await panel.settle()
  const roots = ['@alice.example relay-sender-starttls:[smtp.relay.example]:587']
  expect(transports()).toEqual(roots)
  accepted(await set())
  await panel.settle()
  expect(transports()).toEqual([relay])
  accepted(await panel.patch(`/smtp-relays/${root.relay.id}`, { for: { domains: ['alice.example'] } }))
  await panel.settle()
  expect(transports()).toEqual(roots)
  panel.forget()
  expect(problem(await set({ port: 465 }))).toEqual([409, 'exists'])
  expect(await occurred(panel)).toEqual(nothing)
  accepted(await panel.delete(at))
})

test.each([
  ['127.0.0.1'],
  ['10.1.2.3'],
  ['169.254.169.254'],
  ['93.184.216.34', '192.168.1.1'],
  ['::1'],
  ['fd00::1'],
  ['::ffff:127.0.0.1'],
])('no mail leaves by a relay at %s', async (...addresses) => {
  const { set, panel, show, transports } = await world({ 'smtp.office.example': addresses })
  accepted(await set())
  await panel.settle()
  expect(await show()).toMatchObject({ in_use: false, refused_since: panel.clock.now() })
  expect(transports()).toEqual([])
})

test('a relay is looked up hourly: one that leads inside is used no longer, until it leads outside again', async () => {
  const { panel, set, show, transports, names } = await world()
  accepted(await set())
  await panel.settle()
  panel.forget()
  names['smtp.office.example'] = ['127.0.0.1']
  await panel.clock.advance(2 * minute)
  expect(await occurred(panel)).toEqual(nothing)
  panel.clock.jump(hour)
  await panel.clock.advance(minute)
  await panel.settle()
  expect(await show()).toMatchObject({ in_use: false })
  expect(transports()).toEqual([])
  delete names['smtp.office.example']
  panel.clock.jump(hour)
  await panel.clock.advance(minute)
  await panel.settle()
  expect(await show()).toMatchObject({ in_use: false })
  names['smtp.office.example'] = ['93.184.216.34']
  panel.clock.jump(hour)
  await panel.clock.advance(minute)
  await panel.settle()
  expect(await show()).toMatchObject({ in_use: true })
  expect(transports()).toEqual([relay])
})

test('a name without an address is told, and an answer that stays away changes nothing that was known', async () => {
  const { panel, set, show, transports, names } = await world({})
  accepted(await set())
  await panel.settle()
  expect(JSON.stringify(panel.store.sqlite.prepare('SELECT message FROM job_logs').all())).toContain('has no address')
  expect([await show(), transports()]).toMatchObject([{ in_use: false }, []])
  names['smtp.office.example'] = ['93.184.216.34']
  accepted(await set())
  await panel.settle()
  delete names['smtp.office.example']
  panel.clock.jump(hour)
  await panel.clock.advance(minute)
  await panel.settle()
  expect([await show(), transports()]).toMatchObject([{ in_use: true }, [relay]])
})

test.each<[object, string]>([
  [{ host: 'smtp.office.example\nrelay' }, 'host'],
  [{ host: '127.0.0.1' }, 'host'],
  [{ host: '[::1]' }, 'host'],
  [{ host: 'localhost' }, 'host'],
  [{ host: 'mail.corp' }, 'host'],
  [{ host: 'host.example' }, 'host'],
  [{ host: 'a'.repeat(300) }, 'host'],
  [{ port: 2526 }, 'port'],
  [{ tls: 'none' }, 'tls'],
  [{ username: 'a b' }, 'username'],
  [{ username: 'a:b' }, 'username'],
  [{ password: 'a\nb' }, 'password'],
  [{ password: undefined }, 'password'],
  [{ username: undefined }, 'username'],
])('%j is refused and changes nothing', async (over, field) => {
  const { panel, set, at } = await world()
  const reply = await set(over)
  expect([problem(reply).slice(0, 2), Object.keys(reply.body.fields ?? {})]).toEqual([[400, 'validation'], [field]])
  expect((await panel.get(at)).status).toBe(404)
  expect(await occurred(panel)).toEqual(nothing)
})

test('it needs a verified domain, and the feature', async () => {
  const mail = await withMail()
  const { panel, alice, path } = mail
  const [{ id }] = (await panel.get(`${path}/domains`)).body.items
  const at = `${path}/domains/${id}/relay`
  await panel.post(`/accounts/${alice.id}/domains`, { name: 'shop.example' })
  await panel.settle()
  const shop = (await panel.get(`${path}/domains`)).body.items.find(({ domain }: Json) => domain === 'shop.example')
  expect(shop.verified).toBe(false)
  expect(problem(await panel.put(`${path}/domains/${shop.id}/relay`, office))).toEqual([409, 'not-configured'])
  await panel.patch(`/feature-lists/${alice.feature_list_id}`, { features: { smtp_relay: false } })
  const token = await panel.token(['email:write'], { account: alice.id })
  const reply = await panel.put(at, office, { token })
  expect([reply.status, reply.code]).toEqual([403, 'feature-disabled'])
})
