import { expect, test } from 'vitest'
import { accepted, host, nothing, occurred, problem } from '../email/fixtures.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'

const password = 'relay-password-1'
const ses = { name: 'ses', host: 'smtp.relay.example', port: 587, tls: 'starttls', username: 'AKIA1', password }
const office = { name: 'office', host: 'smtp.office.example', port: 465, tls: 'tls' }

async function withAlice() {
  const panel = await startPanel()
  const [alice, bob] = [await panel.account('alice'), await panel.account('bob')]
  panel.forget()
  return { panel, alice, bob }
}

/** Accepted and applied. */
async function applied(panel: TestPanel, reply: Promise<{ status: number; body: Json }>): Promise<Json> {
  const { relay } = accepted((await reply) as never)
  await panel.settle()
  return relay
}

const create = (panel: TestPanel, fields: object) => applied(panel, panel.post('/smtp-relays', fields))

test('the server, an account and a domain have relays, and each host map says which sender leaves by which', async () => {
  const { panel, alice } = await withAlice()
  const { map } = host(panel)
  const all = await create(panel, { ...ses, for: 'server' })
  expect(all).toEqual({
    ...{ id: all.id, name: 'ses', host: 'smtp.relay.example', port: 587, tls: 'starttls', username: 'AKIA1' },
    ...{ for: 'server', status: 'active', created_at: all.created_at, updated_at: all.updated_at },
  })
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mail.relay.update succeeded'] })
  expect(map('relaytransports', '_server')).toEqual(['server relay-server-starttls:[smtp.relay.example]:587'])
  expect(map('serverpasswords', '_server')).toEqual([`[smtp.relay.example]:587 AKIA1:${password}`])
  expect(map('relaytransports')).toEqual([])
  const own = await create(panel, { ...office, for: { accounts: ['alice'] } })
  expect(own.for).toEqual({ accounts: [alice.id] })
  expect(map('relaytransports')).toEqual(['@alice.example relay-sender-tls:[smtp.office.example]:465'])
  expect([map('relaypasswords'), map('relaytransports', 'bob')]).toEqual([[], []])
  // What it forwards leaves by the server's.
  expect(map('relaysenders')).toEqual(['/^"?srs[01][-+=].*@alice\\.example$/ smtp:'])
  // A domain comes before its account.
  await create(panel, { ...ses, name: 'shop', for: { domains: ['alice.example'] } })
  expect(map('relaytransports')).toEqual(['@alice.example relay-sender-starttls:[smtp.relay.example]:587'])
  expect(map('relaypasswords')).toEqual([`@alice.example AKIA1:${password}`])
  expect((await panel.get('/smtp-relays')).body.items.map(({ name }: Json) => name)).toEqual(['ses', 'office', 'shop'])
})

test('a change applies to former targets too, and a deleted relay leaves nothing behind', async () => {
  const { panel, bob } = await withAlice()
  const { map, has } = host(panel)
  const relay = await create(panel, { ...ses, for: { accounts: ['alice'] } })
  panel.forget()
  const path = `/smtp-relays/${relay.id}`
  await applied(panel, panel.patch(path, { for: { accounts: [bob.id] }, port: 2525 }))
  expect([map('relaytransports'), map('relaypasswords')]).toEqual([[], []])
  expect(map('relaytransports', 'bob')).toEqual(['@bob.example relay-sender-starttls:[smtp.relay.example]:2525'])
  await applied(panel, panel.patch(path, { username: null }))
  expect(map('relaypasswords', 'bob')).toEqual([])
  expect((await panel.get(path)).body).not.toHaveProperty('username')
  await applied(panel, panel.patch(path, { for: 'server' }))
  expect([map('relaytransports', 'bob'), map('relaytransports', '_server')]).toEqual([
    [],
    ['server relay-server-starttls:[smtp.relay.example]:2525'],
  ])
  panel.forget()
  const gone = await panel.delete(path)
  expect(accepted(gone).relay.status).toBe('deleting')
  expect((await panel.patch(path, { port: 25 })).status).toBe(409)
  await panel.settle()
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mail.relay.update succeeded'] })
  expect((await panel.get(path)).status).toBe(404)
  expect(has('etc/panel/mail/relaytransports.d/_server')).toBe(false)
})

test('a terminated account leaves its relay', async () => {
  const { panel, bob } = await withAlice()
  const relay = await create(panel, { ...ses, for: { accounts: ['alice', 'bob'] } })
  await panel.delete(`/accounts/${bob.id}?confirm=bob`)
  await panel.settle()
  expect((await panel.get(`/smtp-relays/${relay.id}`)).body.for.accounts).toHaveLength(1)
})

test('a target has one relay, and a name one relay', async () => {
  const { panel } = await withAlice()
  await create(panel, { ...ses, for: { accounts: ['alice'] } })
  panel.forget()
  const taken = await panel.post('/smtp-relays', { ...office, for: { accounts: ['bob', 'alice'] } })
  expect(problem(taken)).toEqual([409, 'exists', 'for'])
  expect(taken.body.fields).toEqual({ for: 'is taken by ses' })
  expect(problem(await panel.post('/smtp-relays', { ...ses, for: 'server' }))).toEqual([409, 'exists', 'name'])
  expect(await occurred(panel)).toEqual(nothing)
  expect((await panel.get('/smtp-relays')).body.items).toHaveLength(1)
})

const line = 'smtp.relay.example\nevil'
test.each([
  [{ host: line }, 'host'],
  [{ host: 'localhost' }, 'host'],
  [{ host: '127.0.0.1' }, 'host'],
  [{ host: '[smtp.relay.example]' }, 'host'],
  [{ port: 26 }, 'port'],
  [{ tls: 'none' }, 'tls'],
  [{ username: 'a:b' }, 'username'],
  [{ username: 'a b' }, 'username'],
  [{ password: 'secret\n@bob.example x:y' }, 'password'],
  [{ password: 'secret\0' }, 'password'],
  [{ password: ' secret' }, 'password'],
  [{ password: undefined }, 'password'],
  [{ username: undefined }, 'username'],
  [{ name: 'Ses' }, 'name'],
  [{ for: 'alice' }, 'for'],
  [{ for: { accounts: [] } }, 'for'],
  [{ for: { accounts: ['nosuch'] } }, 'for.accounts'],
  [{ for: { domains: ['nosuch.example'] } }, 'for.domains'],
  [{ for: { accounts: ['alice'], domains: ['bob.example'] } }, 'for'],
])('%j is refused and changes nothing', async (fields, field) => {
  const { panel } = await withAlice()
  const reply = await panel.post('/smtp-relays', { ...ses, for: 'server', ...fields })
  expect(reply.status).toBe(400)
  expect(Object.keys(reply.body.fields).some((name) => name === field || name.startsWith(`${field}.`))).toBe(true)
  expect(await occurred(panel)).toEqual(nothing)
  expect((await panel.get('/smtp-relays')).body.items).toEqual([])
})

test('another user name needs its password', async () => {
  const { panel } = await withAlice()
  const relay = await create(panel, { ...ses, for: 'server' })
  const path = `/smtp-relays/${relay.id}`
  const reply = await panel.patch(path, { username: 'AKIA2' })
  expect([reply.status, reply.body.fields]).toEqual([400, { password: 'is required with a user name' }])
  await applied(panel, panel.patch(path, { username: 'AKIA2', password: 'another-password' }))
  expect(host(panel).map('serverpasswords', '_server')).toEqual(['[smtp.relay.example]:587 AKIA2:another-password'])
})

test('the password is in no answer, log, audit entry or event, and encrypted in the store', async () => {
  const { panel } = await withAlice()
  const relay = await create(panel, { ...ses, for: 'server' })
  await panel.post(`/smtp-relays/${relay.id}/test`, { to: 'me@elsewhere.example' })
  await panel.settle()
  const { sqlite } = panel.panel.runtime.store
  const row = sqlite.prepare('SELECT * FROM mail_relays').get()
  const seen = await Promise.all(['/smtp-relays', '/jobs', '/audit', '/events'].map((path) => panel.get(path)))
  const logs = sqlite.prepare('SELECT message FROM job_logs').all()
  expect(JSON.stringify([row, logs, relay, seen.map(({ body }) => body)])).not.toContain(password)
})

test('a test says why the relay did not take the message, once a minute', async () => {
  const { panel } = await withAlice()
  const relay = await create(panel, { ...ses, host: 'nosuch.invalid', for: 'server' })
  panel.forget()
  const path = `/smtp-relays/${relay.id}/test`
  const { job_id } = accepted(await panel.post(path, { to: 'me@elsewhere.example' }))
  const again = await panel.post(path, { to: 'me@elsewhere.example' })
  expect([again.status, again.headers.get('retry-after')]).toEqual([429, '60'])
  await panel.settle()
  expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['mail.relay.test failed'] })
  const { job } = (await panel.get(`/jobs/${job_id}`)).body
  expect(job.error).toMatch(/^ses did not take the message: .*ENOTFOUND|EAI_AGAIN/)
  await panel.clock.advance(60_000)
  expect((await panel.post(path, { to: 'me@elsewhere.example\r\nRCPT TO:<x@y>' })).status).toBe(400)
  expect((await panel.post(path, { to: 'me@elsewhere.example' })).status).toBe(202)
})
