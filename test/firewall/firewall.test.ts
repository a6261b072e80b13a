import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hostOf } from '../../src/areas/host/host.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'

const minute = 60_000

const add = (panel: TestPanel, body: object) => panel.post('/firewall/rules', { action: 'allow', ...body })
const rules = async (panel: TestPanel): Promise<Json[]> => (await panel.get('/firewall')).body.rules
const confirm = (panel: TestPanel) => panel.post('/firewall/confirm')

async function keep(panel: TestPanel, body: object): Promise<string> {
  const { status, body: made } = await add(panel, body)
  expect(status, JSON.stringify(made)).toBe(202)
  await panel.settle()
  expect((await confirm(panel)).status).toBe(204)
  panel.forget()
  return made.rule.id
}

/** Lines that the machine would keep. */
function storedRules(panel: TestPanel): string[] {
  const path = join(panel.dir, 'host/firewall.rules')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(1, -1) : []
}

test('a rule is on trial for a minute, and stays once it is confirmed', async () => {
  const panel = await startPanel()
  const made = await add(panel, { port: 8443, from: '203.0.113.0/24', comment: 'Backups' })
  const now = panel.clock.now()
  const rule = {
    ...{ id: made.body.rule.id, action: 'allow', port: 8443, proto: 'tcp', from: '203.0.113.0/24', comment: 'Backups' },
    ...{ status: 'adding', revert_at: now + minute, created_at: now },
  }
  expect([made.status, made.body]).toEqual([202, { rule, revert_at: now + minute, job_id: made.body.job_id }])
  await panel.settle()
  expect(panel.jobs()).toEqual(['host.firewall succeeded'])
  expect(panel.events()).toEqual(['job.completed'])
  expect((await panel.get('/firewall')).body).toMatchObject({ enabled: true, revert_at: now + minute, rules: [rule] })
  expect(storedRules(panel)).toEqual([])
  expect((await confirm(panel)).status).toBe(204)
  expect(panel.events()).toEqual([])
  expect(storedRules(panel)).toEqual(['ip saddr 203.0.113.0/24 tcp dport { 8443 } accept'])
  await panel.clock.advance(2 * minute)
  const { revert_at: _, ...active } = { ...rule, status: 'active' }
  expect((await panel.get('/firewall')).body.rules).toEqual([active])
  expect((await panel.get('/firewall')).body.revert_at).toBeUndefined()
  expect((await confirm(panel)).code).toBe('not-found')
})

test('without a confirmation it is gone after a minute', async () => {
  const panel = await startPanel()
  const { id } = (await add(panel, { action: 'deny', service: 'ssh' })).body.rule
  await panel.settle()
  await panel.clock.advance(minute)
  expect(await rules(panel)).toEqual([])
  expect((await confirm(panel)).code).toBe('not-found')
  expect((await panel.delete(`/firewall/rules/${id}`)).code).toBe('not-found')
  expect((await add(panel, { port: 1 })).status).toBe(202)
})

test('a deletion is on trial, too', async () => {
  const panel = await startPanel()
  const id = await keep(panel, { port: 8443 })
  const gone = await panel.delete(`/firewall/rules/${id}`)
  expect([gone.status, gone.body.rule.status]).toEqual([202, 'deleting'])
  await panel.settle()
  await panel.clock.advance(minute)
  expect((await rules(panel)).map(({ status }) => status)).toEqual(['active'])
  expect((await panel.delete(`/firewall/rules/${id}`)).status).toBe(202)
  await panel.settle()
  expect((await confirm(panel)).status).toBe(204)
  expect([await rules(panel), storedRules(panel)]).toEqual([[], []])
  expect((await panel.delete(`/firewall/rules/${id}`)).code).toBe('not-found')
})

test('one change waits at a time', async () => {
  const panel = await startPanel()
  const id = await keep(panel, { port: 8443 })
  await add(panel, { port: 1 })
  expect((await add(panel, { port: 2 })).code).toBe('busy')
  expect((await panel.delete(`/firewall/rules/${id}`)).code).toBe('busy')
  await panel.settle()
  await confirm(panel)
  expect((await add(panel, { port: 1 })).code).toBe('exists')
  expect((await add(panel, { port: 2 })).status).toBe(202)
})

test('a change whose job comes too late changes nothing', async () => {
  const panel = await startPanel()
  await panel.panel.worker.stop()
  await add(panel, { action: 'deny', port: 22 })
  await panel.clock.advance(minute)
  expect(await rules(panel)).toEqual([])
  expect(storedRules(panel)).toEqual([])
})

test.each([
  [{ port: 0 }, 'port'],
  [{ port: 65_536 }, 'port'],
  [{ port: 22.5 }, 'port'],
  [{ port: '22' }, 'port'],
  [{}, 'port'],
  [{ port: 22, service: 'ssh' }, 'service'],
  [{ service: 'telnet' }, 'service'],
  [{ port: 22, proto: 'sctp' }, 'proto'],
  [{ port: 22, action: 'accept' }, 'action'],
  [{ port: 22, from: 'office.example' }, 'from'],
  [{ port: 22, from: '203.0.113.7/24' }, 'from'],
  [{ port: 22, from: '2001:db8::1/64' }, 'from'],
  [{ port: 22, from: '0.0.0.0/0' }, 'from'],
  [{ port: 22, from: '::/0' }, 'from'],
  [{ port: 22, from: '203.0.113.0/33' }, 'from'],
  [{ port: 22, from: '203.0.113.7 tcp dport 1-65535 accept' }, 'from'],
  [{ port: 22, from: '203.0.113.7\n' }, 'from'],
  [{ port: 22, from: 'fe80::1%eth0' }, 'from'],
  [{ port: 22, comment: 'a\nb' }, 'comment'],
  [{ port: 22, comment: 'x'.repeat(201) }, 'comment'],
  [{ port: 22, comment: '' }, 'comment'],
])('%j is refused for %s', async (body, field) => {
  const panel = await startPanel()
  const refused = await add(panel, body)
  expect([refused.status, Object.keys(refused.body.fields)]).toEqual([400, [field]])
  expect(await rules(panel)).toEqual([])
})

test('comments stay in the store, networks have one spelling', async () => {
  const panel = await startPanel()
  const comment = `"} } flush ruleset; # ' $(id) <b>`
  await keep(panel, { port: 22, from: '2001:DB8:0:0::/32', comment })
  await keep(panel, { port: 53, proto: 'udp', from: '::ffff:203.0.113.9' })
  expect((await rules(panel)).map(({ from, comment }) => [from, comment])).toEqual([
    ['2001:db8::/32', comment],
    ['203.0.113.9', undefined],
  ])
  expect(storedRules(panel)).toEqual([
    'ip6 saddr 2001:db8::/32 tcp dport { 22 } accept',
    'ip saddr 203.0.113.9 udp dport { 53 } accept',
  ])
})

test('there are at most 200 rules', async () => {
  const panel = await startPanel()
  const insert = panel.store.sqlite.prepare(
    "INSERT INTO firewall_rules (id, action, port, proto, created_at) VALUES (?, 'allow', ?, 'tcp', 1)",
  )
  await panel.store.change(() => {
    for (let port = 1; port < 200; port++) insert.run(`01J8Z0M4T9Q2W7E5R6Y1U3${String(port).padStart(4, '0')}`, port)
  })
  await keep(panel, { port: 5000 })
  expect((await add(panel, { port: 5001 })).code).toBe('too-many')
  expect(storedRules(panel)).toHaveLength(200)
})

test('the last way to the panel stays open', async () => {
  const panel = await startPanel()
  const closed = await add(panel, { action: 'deny', port: 7711 })
  expect([closed.status, Object.keys(closed.body.fields)]).toEqual([400, ['port']])
  const named = await add(panel, { action: 'deny', service: 'panel' })
  expect([named.status, Object.keys(named.body.fields)]).toEqual([400, ['service']])
  const office = await keep(panel, { service: 'panel', from: '203.0.113.0/24' })
  await keep(panel, { action: 'deny', port: 7711 })
  expect((await panel.delete(`/firewall/rules/${office}`)).status).toBe(400)
  expect((await add(panel, { action: 'deny', port: 7711, from: '203.0.113.0/24' })).status).toBe(400)
  expect((await add(panel, { action: 'deny', port: 7711, from: '203.0.113.8' })).status).toBe(202)
  const { ports } = (await panel.get('/firewall')).body
  expect(ports.find(({ service }: Json) => service === 'panel').access).toBe('some')
})

test("the nodes' port stays open while there are nodes", async () => {
  const panel = await startPanel()
  await panel.post('/nodes', { name: 'node1' })
  const closed = await add(panel, { action: 'deny', service: 'nodes' })
  expect([closed.status, Object.keys(closed.body.fields)]).toEqual([400, ['service']])
  expect((await add(panel, { action: 'deny', port: 7712 })).status).toBe(400)
  expect((await add(panel, { action: 'deny', port: 7712, proto: 'udp' })).status).toBe(202)
})

test('without nodes their port can be closed', async () => {
  const panel = await startPanel()
  expect((await add(panel, { action: 'deny', service: 'nodes' })).status).toBe(202)
})

test('what the host has undone by itself, as a reboot does, waits no more', async () => {
  const panel = await startPanel()
  await add(panel, { port: 8443 })
  await panel.settle()
  rmSync(join(panel.dir, 'host/firewall.rules.pending'))
  expect((await panel.get('/firewall')).body).toMatchObject({ rules: [] })
  expect((await add(panel, { port: 1 })).status).toBe(202)
})

test('what the host has kept is kept, though the server ended before it could say so', async () => {
  const panel = await startPanel()
  const { rule } = (await add(panel, { port: 8443 })).body
  await panel.settle()
  const { change_id: id } = panel.store.sqlite.prepare('SELECT change_id FROM firewall_rules').get() as Json
  await hostOf(panel.panel.runtime).confirmFirewall({ id })
  await panel.clock.advance(2 * minute)
  expect((await rules(panel)).map(({ id, status }) => [id, status])).toEqual([[rule.id, 'active']])
  await keep(panel, { port: 1 })
  expect(storedRules(panel)).toHaveLength(2)
})
