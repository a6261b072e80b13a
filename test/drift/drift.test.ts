import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { snapshot } from '../host/helpers.ts'

interface Hosted {
  readonly panel: TestPanel
  readonly alice: Json
  readonly bob: Json
  readonly at: (path: string) => string
}

async function hosted(): Promise<Hosted> {
  const panel = await startPanel()
  const [alice, bob] = [await panel.account('alice'), await panel.account('bob')]
  return { panel, alice, bob, at: (path) => join(panel.dir, 'host', path) }
}

const diffOf = async (panel: TestPanel, account?: Json): Promise<Json> => {
  const reply = await panel.get(`/host/diff${account ? `?account_id=${account.id}` : ''}`)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body
}

const nothing = { differences: [], diff: '', more: false }
const vhost = 'etc/panel/nginx/sites/alice.example.conf'

async function applied(panel: TestPanel, body: object): Promise<{ events: string[]; job: Json; log: string[] }> {
  const { status, body: answer } = await panel.post('/host/apply', body)
  expect(status, JSON.stringify(answer)).toBe(202)
  await panel.settle()
  const { job, log } = (await panel.get(`/jobs/${answer.job_id}`)).body
  return { events: panel.events(), job, log: log.map(({ message }: Json) => message) }
}

test('a virtual host changed by hand is shown, and repaired', async () => {
  const { panel, alice, at } = await hosted()
  expect(await diffOf(panel)).toEqual(nothing)
  const full = readFileSync(at(vhost), 'utf8')
  writeFileSync(at(vhost), full.replace('  index index.php index.html;\n', '  index evil.php;\n'))
  const before = snapshot(at('etc'))

  const found = await diffOf(panel, alice)
  expect(found.differences).toEqual([{ account_id: alice.id, username: 'alice', path: `/${vhost}`, change: 'changed' }])
  expect(found.diff).toContain(`--- /${vhost}\n+++ /${vhost}\n@@ `)
  expect(found.diff).toContain('\n-  index evil.php;\n+  index index.php index.html;\n')
  expect(snapshot(at('etc'))).toEqual(before)

  const { events, job, log } = await applied(panel, { account_id: alice.id })
  expect([events, job.kind, job.status, job.account_id]).toEqual([
    ['job.completed'],
    'host.apply',
    'succeeded',
    alice.id,
  ])
  expect(log).toEqual([
    `alice: /${vhost}: changed`,
    'alice: files are in place',
    expect.stringMatching(/^alice: 1 file changed on the host$/),
  ])
  expect(readFileSync(at(vhost), 'utf8')).toBe(full)
  expect(await diffOf(panel)).toEqual(nothing)
})

test('missing, too open and ownerless files are distinguished, and one account does not show in another', async () => {
  const { panel, alice, bob, at } = await hosted()
  rmSync(at('etc/panel/users.d/alice'))
  chmodSync(at('etc/panel/php/8.4-e3b0c44298fc-alice.conf'), 0o600)
  chmodSync(at('home/alice'), 0o755)
  appendFileSync(at('var/lib/panel-host/pages/suspended.html'), 'hacked')
  const received = ({ differences }: Json) =>
    differences.map(({ path, change, note }: Json) => [path, change, note ?? ''])
  expect(received(await diffOf(panel, alice))).toEqual([
    ['/home/alice/', 'mode', 'mode 0755, should be 0710'],
    ['/etc/panel/users.d/alice', 'missing', ''],
    ['/etc/panel/php/8.4-e3b0c44298fc-alice.conf', 'mode', 'mode 0600, should be 0644'],
  ])
  expect((await diffOf(panel, alice)).diff).toContain('# /home/alice/: mode, mode 0755, should be 0710\n')
  expect(await diffOf(panel, bob)).toEqual(nothing)
  expect((await diffOf(panel)).differences.map(({ path, username }: Json) => [path, username])[0]).toEqual([
    '/var/lib/panel-host/pages/suspended.html',
    undefined,
  ])

  const { job, log } = await applied(panel, {})
  expect([job.status, job.account_id]).toEqual(['succeeded', undefined])
  expect(log).toEqual([
    'alice: /home/alice/: mode, mode 0755, should be 0710',
    'alice: /etc/panel/users.d/alice: missing',
    'alice: /etc/panel/php/8.4-e3b0c44298fc-alice.conf: mode, mode 0600, should be 0644',
    '2 accounts on the host match the store',
  ])
  expect(await diffOf(panel)).toEqual(nothing)
})

test('shows no secret: only the name of a file with restricted permissions', async () => {
  const { panel, alice, at } = await hosted()
  const path = 'etc/panel/ftp/passwd.d/alice'
  writeFileSync(at(path), 'alice:$6$canary:1:1::/:/bin/sh\n', { mode: 0o600 })
  const found = await diffOf(panel, alice)
  expect(found.differences).toMatchObject([
    { path: `/${path}`, change: 'changed', note: 'its content may be secret and is not shown' },
  ])
  expect(JSON.stringify(found)).not.toContain('canary')
})

test('a link in place of a file is shown beside all else that differs, and is replaced, not followed', async () => {
  const { panel, alice, at } = await hosted()
  const victim = at('etc/panel/victim')
  writeFileSync(victim, 'precious')
  rmSync(at(vhost))
  symlinkSync(victim, at(vhost))
  rmSync(at('etc/panel/php/8.4-e3b0c44298fc-alice.conf'))
  expect((await diffOf(panel, alice)).differences).toMatchObject([
    { path: '/etc/panel/php/8.4-e3b0c44298fc-alice.conf', change: 'missing' },
    { path: `/${vhost}`, change: 'changed', note: 'it is a symbolic link, should be a file' },
  ])
  expect((await panel.post('/host/apply', { account_id: alice.id })).status).toBe(202)
  await panel.settle()
  expect(await diffOf(panel, alice)).toEqual(nothing)
  expect([lstatSync(at(vhost)).isFile(), readFileSync(victim, 'utf8')]).toEqual([true, 'precious'])
})

test('a link in place of what the panel removes, or of its own record, holds up nothing', async () => {
  const { panel, alice, at } = await hosted()
  const record = `var/lib/panel-host/manifest/${alice.id}.json`
  for (const path of [record, 'etc/panel/users.d/alice', vhost]) {
    rmSync(at(path))
    symlinkSync('/etc/passwd', at(path))
  }
  expect((await panel.post(`/accounts/${alice.id}/suspend`)).status).toBe(202)
  await panel.settle()
  for (const path of [record, 'etc/panel/users.d/alice', vhost]) expect(lstatSync(at(path)).isFile()).toBe(true)
  for (const path of ['etc/panel/users.d/alice', vhost]) {
    rmSync(at(path))
    symlinkSync('/etc/passwd', at(path))
  }
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  await panel.settle()
  for (const path of ['etc/panel/users.d/alice', vhost, 'home/alice'])
    expect(lstatSync(at(path), { throwIfNoEntry: false })).toBeUndefined()
})

test('reports what prevents a comparison as an error of its own, beside all else that differs', async () => {
  const { panel, alice, at } = await hosted()
  rmSync(at(vhost))
  mkdirSync(at(vhost))
  rmSync(at('etc/panel/php/8.4-e3b0c44298fc-alice.conf'))
  expect((await diffOf(panel, alice)).differences).toMatchObject([
    { path: '/', change: 'fault', note: `${vhost} is not a regular file; refusing to replace it.` },
    { path: '/etc/panel/php/8.4-e3b0c44298fc-alice.conf', change: 'missing' },
  ])
  await panel.post('/host/apply', { account_id: alice.id })
  await panel.settle()
  expect(lstatSync(at('etc/panel/php/8.4-e3b0c44298fc-alice.conf'), { throwIfNoEntry: false })).toBeUndefined()
})

test('an unknown account is refused, and nothing is requested', async () => {
  const { panel, bob } = await hosted()
  for (const reply of [
    await panel.get(`/host/diff?account_id=${bob.id.slice(0, -4)}ZZZZ`),
    await panel.post('/host/apply', { account_id: `${bob.id.slice(0, -4)}ZZZZ` }),
  ])
    expect([reply.status, reply.body.fields]).toEqual([400, { account_id: 'is not an account' }])
  expect(panel.events()).toEqual([])
})

test('nothing is applied for an account that is terminating', async () => {
  const { panel, bob } = await hosted()
  await panel.delete(`/accounts/${bob.id}?confirm=bob`)
  const { status, code } = await panel.post('/host/apply', { account_id: bob.id })
  expect([status, code]).toEqual([409, 'busy'])
})
