import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { exhaust, host, nothing, occurred, problem, withAlice } from './fixtures.ts'

test('a deleted domain is removed from the host; its files stay', async () => {
  const { panel, domain, path, ask } = await withAlice()
  const { id } = await domain('shop.example')
  const deleted = await panel.delete(`${path}/${id}`)
  expect([deleted.status, deleted.body.domain.status]).toEqual([202, 'deleting'])
  expect((await panel.delete(`${path}/${id}`)).body.job_id).toBe(deleted.body.job_id)
  expect(problem(await ask('shop.example'))).toEqual([409, 'exists', 'name'])
  expect(await occurred(panel)).toEqual({
    events: ['dns.zone.deleted', 'domain.deleted', 'job.completed'],
    jobs: ['domain.delete succeeded'],
  })
  expect(host(panel).has('etc/panel/nginx/sites/shop.example.conf')).toBe(false)
  expect(host(panel).has('home/alice/sites/shop.example/public')).toBe(true)
  expect(problem(await panel.get(`${path}/${id}`))).toEqual([404, 'not-found'])
  expect((await ask('shop.example')).status).toBe(202)
})

test('the main domain, and one that others depend on, cannot be deleted', async () => {
  const { panel, domain, named, path } = await withAlice()
  const shop = await domain('shop.example')
  await domain('a.shop.example')
  await domain('b.shop.example')
  await domain('shop.test', { kind: 'parked', parent_id: shop.id })
  expect(problem(await panel.delete(`${path}/${(await named('alice.example')).id}`))).toEqual([409, 'in-use'])
  const refused = await panel.delete(`${path}/${shop.id}`)
  expect([refused.code, refused.body.detail]).toEqual([
    'in-use',
    'shop.example still has 2 subdomains, 1 alias domain; delete them first.',
  ])
  expect(await occurred(panel)).toEqual(nothing)
})

test('a domain deleted during its creation is removed', async () => {
  const { panel, ask, path } = await withAlice()
  const { id } = (await ask('shop.example')).body.domain
  expect((await panel.delete(`${path}/${id}`)).status).toBe(202)
  expect(await occurred(panel)).toEqual({
    events: [
      'domain.created',
      'dns.zone.created',
      'dns.zone.deleted',
      'domain.deleted',
      'job.completed',
      'job.completed',
    ],
    jobs: ['domain.create succeeded', 'domain.delete succeeded'],
  })
  expect((await panel.get(path)).body.total).toBe(1)
})

test('a root below a link to another home is not created; the name is free again, and suspending works', async () => {
  const { panel, alice, ask, path } = await withAlice()
  await panel.account('bob')
  const { path: at, has } = host(panel)
  symlinkSync(at('home/bob'), at('home/alice/sites/out'))
  const before = readdirSync(at('home/bob'))
  expect((await ask('shop.example', { document_root: 'sites/out/shop' })).status).toBe(202)
  await exhaust(panel)
  expect(await occurred(panel)).toEqual({
    events: ['domain.created', 'dns.zone.created', 'job.failed'],
    jobs: ['domain.create failed'],
  })
  expect(readdirSync(at('home/bob'))).toEqual(before)
  expect(has('etc/panel/nginx/sites/shop.example.conf')).toBe(false)
  const [job] = (await panel.get('/jobs?kind=domain.create')).body.items
  expect(job.error).toContain('home/alice/sites/out is not a directory')
  expect((await panel.get(path)).body.total).toBe(1)
  expect((await ask('shop.example')).status).toBe(202)
  await panel.settle()
  panel.forget()
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  expect(await occurred(panel)).toEqual({
    events: ['account.suspended', 'job.completed'],
    jobs: ['account.suspend succeeded'],
  })
})

test('a file on the path to a root fails the job', async () => {
  const { panel, ask } = await withAlice()
  writeFileSync(host(panel).path('home/alice/sites/file'), '')
  await ask('shop.example', { document_root: 'sites/file/shop' })
  await exhaust(panel)
  expect(await occurred(panel)).toEqual({
    events: ['domain.created', 'dns.zone.created', 'job.failed'],
    jobs: ['domain.create failed'],
  })
})

test('a delete that failed for good leaves the domain deleting, and can be repeated', async () => {
  const down = { now: false }
  const { panel, domain, path } = await withAlice({
    driver: (root) => createDirectoryDriver({ root, checks: { precheck: () => refuse(down.now) } }),
  })
  const { id } = await domain('shop.example')
  down.now = true
  const first = (await panel.delete(`${path}/${id}`)).body.job_id
  for (let n = 0; n < 3; n++) await exhaust(panel)
  expect(await occurred(panel)).toEqual({
    events: ['dns.zone.deleted', 'domain.deleted', 'job.failed'],
    jobs: ['domain.delete failed'],
  })
  expect((await panel.get(`${path}/${id}`)).body.status).toBe('deleting')
  expect((await panel.get(`/jobs/${first}`)).body.job.max_attempts).toBe(5)
  down.now = false
  expect((await panel.delete(`${path}/${id}`)).body.job_id).not.toBe(first)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['domain.delete succeeded'] })
})

function refuse(down: boolean): void {
  if (down) throw new Error('the disk is read-only')
}

test('a terminated account frees its names when its job ends', async () => {
  const { panel, alice, domain } = await withAlice()
  await domain('shop.example')
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  expect(await occurred(panel)).toEqual({
    events: ['account.terminated', 'job.completed'],
    jobs: ['account.terminate succeeded'],
  })
  expect(host(panel).has('etc/panel/nginx/sites/shop.example.conf')).toBe(false)
  await panel.account('bob', { domain: 'shop.example' })
  expect(existsSync(host(panel).path('home/bob/sites/shop.example/public'))).toBe(true)
})

test('deleting a domain of a suspended account does not touch the home', async () => {
  const { panel, alice, ask } = await withAlice()
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  await panel.settle()
  panel.forget()
  await ask('shop.example')
  expect(await occurred(panel)).toEqual({
    events: ['domain.created', 'dns.zone.created', 'job.completed'],
    jobs: ['domain.create succeeded'],
  })
  expect(host(panel).vhost('shop.example')).toContain('suspended.html')
  expect(host(panel).has('home/alice/sites/shop.example')).toBe(false)
})
