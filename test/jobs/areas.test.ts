import { expect, test } from 'vitest'
import type { JobKind } from '../../src/runtime/jobs/job-kind.ts'
import { enqueue } from '../../src/runtime/jobs/queue.ts'
import type { Actor } from '../../src/runtime/operations/actor.ts'
import { type Json, startPanel } from '../harness.ts'

const kinds = [
  'domain.create',
  'dns.zone.update',
  'email.create',
  'app.deploy',
  'files.copy',
  'ftp.create',
  'mysql.create',
  'ssl.issue',
  'ssh.apply',
  'cron.run',
]

/** An account with one job of each kind, scheduled for later. */
async function prepared() {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const { runtime } = panel.panel
  for (const kind of kinds) {
    const job: JobKind = { kind, cancellable: true, run: async () => undefined }
    ;(runtime.kinds as Map<string, JobKind>).set(kind, job)
  }
  const root: Actor = { type: 'root', id: runtime.id(), name: 'root', via: 'cli' }
  const account = { id: alice.id, username: 'alice', domain: 'alice.example', owner_id: alice.owner_id }
  const ids = await panel.store.change(() => {
    const made = kinds.map((kind) => [kind, enqueue(runtime, { kind, account }, root, 'a test')] as const)
    panel.store.sqlite.exec("UPDATE jobs SET run_at = run_at + 3600000 WHERE status = 'queued'")
    return new Map(made)
  })
  const create = (await panel.get('/jobs?kind=account.create')).body.items[0].id
  const base = `/accounts/${alice.id}/jobs`
  const token = (...scopes: string[]) => panel.token(scopes, { account: alice.id })
  return { panel, base, ids, create, token }
}

test.each([
  ['account:read', ['account.create', ...kinds]],
  ['full-access', ['account.create', ...kinds]],
  ['read-only', ['account.create', ...kinds]],
  ['dns:read', ['dns.zone.update']],
  ['domains:read', ['domain.create']],
  ['email:read', ['email.create']],
  ['files:write', ['app.deploy', 'files.copy', 'ftp.create']],
  ['mysql:read', ['mysql.create']],
  ['ssl:read', ['ssl.issue']],
  ['ssh:read', ['ssh.apply']],
  ['cron:read', ['cron.run']],
])('a token for %s lists and shows the jobs that its area starts', async (scope, visible) => {
  const { panel, base, ids, create, token } = await prepared()
  const secret = await token(scope)
  const { items, total } = (await panel.get(base, { token: secret })).body
  expect([items.map(({ kind }: Json) => kind), total]).toEqual([visible, visible.length])
  for (const [kind, id] of [...ids, ['account.create', create] as const]) {
    const reply = await panel.get(`${base}/${id}`, { token: secret })
    expect([kind, reply.code ?? reply.body.job.id]).toEqual([kind, visible.includes(kind) ? id : 'token-scope'])
  }
})

test('a token with an area that starts no jobs sees none', async () => {
  const { panel, base, create, token } = await prepared()
  for (const scope of ['logs:write', 'webhooks:write', 'events:write']) {
    const secret = await token(scope)
    expect((await panel.get(base, { token: secret })).code).toBe('token-scope')
    expect((await panel.get(`${base}/${create}`, { token: secret })).code).toBe('token-scope')
  }
})

test('cancelling below the account needs write access to the area', async () => {
  const { panel, base, ids, token } = await prepared()
  const secret = await token('files:write', 'dns:read')
  const cancel = (kind: string) => panel.post(`${base}/${ids.get(kind)}/cancel`, undefined, { token: secret })
  panel.forget()
  expect((await cancel('app.deploy')).body.job.status).toBe('cancelled')
  expect((await cancel('dns.zone.update')).code).toBe('token-scope')
  expect((await cancel('mysql.create')).code).toBe('token-scope')
  expect((await cancel('app.deploy')).code).toBe('not-cancellable')
  expect(panel.events()).toEqual([])
})

test('a customer cannot cancel what must converge either', async () => {
  const { panel, base, create, token } = await prepared()
  const secret = await token('account:write')
  expect((await panel.post(`${base}/${create}/cancel`, undefined, { token: secret })).code).toBe('not-cancellable')
})
