import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HostError } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { domainsIn } from '../domains/fixtures.ts'
import { exhaust, ftpOf, host, nothing, occurred, password, problem, withAlice } from './fixtures.ts'

const line = (login: string, path: string, username = 'alice') =>
  `${login}:$6$…:20000:20000::/home/${username}/${path}:/bin/false`

test('a suspended account has no login file; unsuspending restores the same one', async () => {
  const { panel, alice, login } = await withAlice()
  await login('deploy@alice.example', { quota_mb: 5 })
  const before = host(panel).passwd()
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  await panel.settle()
  expect([host(panel).passwd(), host(panel).quotas()]).toEqual([[], ''])
  const made = await panel.post(`/accounts/${alice.id}/ftp/accounts`, {
    login: 'more@alice.example',
    password,
    directory: 'more',
  })
  expect(made.status).toBe(202)
  await panel.settle()
  expect([host(panel).passwd(), host(panel).has('home/alice/more')]).toEqual([[], false])
  await panel.post(`/accounts/${alice.id}/unsuspend`)
  await panel.settle()
  expect(host(panel).passwd()).toEqual([...before, line('more@alice.example', 'more')])
  expect(host(panel).has('home/alice/more')).toBe(true)
})

test('paths follow a new username, logins stay', async () => {
  const { panel, alice, login } = await withAlice()
  await login('deploy@alice.example')
  await panel.patch(`/accounts/${alice.id}`, { username: 'alicia' })
  expect(await occurred(panel)).toEqual({
    events: ['account.renamed', 'job.completed'],
    jobs: ['account.update succeeded'],
  })
  expect(host(panel).passwd()).toEqual([])
  expect(host(panel).passwd('alicia')).toEqual([
    'alicia:!:20000:20000::/home/alicia:/bin/false',
    line('deploy@alice.example', 'sites/alice.example/public', 'alicia'),
  ])
})

test('logins and default directories follow the main domain, with their files', async () => {
  const { panel, alice, path, login } = await withAlice()
  const deploy = await login('deploy@alice.example')
  await login('images@alice.example', { directory: 'sites/alice.example/public/images' })
  await login('other@alice.example', { directory: 'sites/alice.examples' })
  await domainsIn(panel, alice.id).domain('blog.alice.example')
  await login('blog@blog.alice.example')
  writeFileSync(host(panel).at('home/alice/sites/alice.example/public/images/one.png'), 'mine')
  await panel.patch(`/accounts/${alice.id}`, { domain: 'alice.test' })
  expect(await occurred(panel)).toEqual({
    events: ['account.domain_changed', 'job.completed'],
    jobs: ['account.update succeeded'],
  })
  expect((await panel.get(`${path}/accounts/${deploy.id}`)).body).toMatchObject({
    login: 'deploy@alice.test',
    domain: 'alice.test',
    directory: 'sites/alice.test/public',
  })
  expect(host(panel).passwd().slice(1)).toEqual([
    line('blog@blog.alice.test', 'sites/blog.alice.example/public'),
    line('deploy@alice.test', 'sites/alice.test/public'),
    line('images@alice.test', 'sites/alice.test/public/images'),
    line('other@alice.test', 'sites/alice.examples'),
  ])
  expect(host(panel).has('home/alice/sites/alice.test/public/images/one.png')).toBe(true)
  expect(host(panel).has('home/alice/sites/alice.example')).toBe(false)
})

test('a directory that does not move keeps its logins', async () => {
  const { panel, alice, login } = await withAlice()
  await login('deploy@alice.example')
  await domainsIn(panel, alice.id).domain('shop.example', { document_root: 'sites/alice.example/public/shop' })
  await panel.patch(`/accounts/${alice.id}`, { domain: 'alice.test' })
  await panel.settle()
  expect(host(panel).passwd()[1]).toBe(line('deploy@alice.test', 'sites/alice.example/public'))
})

test('a domain with logins cannot be deleted, and the error says how many it has', async () => {
  const { panel, alice, login } = await withAlice()
  const domains = domainsIn(panel, alice.id)
  const shop = await domains.domain('shop.example')
  const { path } = await login('deploy@shop.example')
  const refused = await panel.delete(`${domains.path}/${shop.id}`)
  expect([refused.code, refused.body.detail]).toEqual([
    'in-use',
    'shop.example still has 1 FTP login; delete them first.',
  ])
  await panel.delete(path)
  await panel.settle()
  expect((await panel.delete(`${domains.path}/${shop.id}`)).status).toBe(202)
  await panel.settle()
})

test('no login can be added at a domain that is being deleted', async () => {
  const { panel, alice, ask } = await withAlice()
  const domains = domainsIn(panel, alice.id)
  const shop = await domains.domain('shop.example')
  await panel.store.change(() => {
    panel.store.sqlite.exec(`UPDATE domains SET status = 'deleting' WHERE id = '${shop.id}'`)
  })
  expect(problem(await ask('deploy@shop.example'))).toEqual([409, 'busy'])
  expect(await occurred(panel)).toEqual(nothing)
})

test('a terminated account leaves no logins, and they are free', async () => {
  const { panel, alice, login } = await withAlice()
  await login('deploy@alice.example', { quota_mb: 5 })
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  expect((await occurred(panel)).events).toEqual(['account.terminated', 'job.completed'])
  expect([host(panel).passwd(), host(panel).quotas()]).toEqual([[], ''])
  const bob = await panel.account('bob', { domain: 'alice.example' })
  expect((await ftpOf(panel, bob.id).login('deploy@alice.example')).login).toBe('deploy@alice.example')
})

test('a smaller package keeps existing ones, and refuses more', async () => {
  const { panel, alice, ask, login } = await withAlice()
  await login('deploy@alice.example')
  await panel.patch(`/accounts/${alice.id}`, { max_ftp: 0 })
  await panel.settle()
  expect(host(panel).passwd()).toHaveLength(2)
  expect(problem(await ask('more@alice.example'))).toEqual([409, 'limit-reached', 'max_ftp'])
})

test('a link in the home: the job fails, the row is gone, the target is untouched', async () => {
  const { panel, ask, path, login } = await withAlice()
  await panel.account('bob')
  const { at, passwd } = host(panel)
  symlinkSync(at('home/bob'), at('home/alice/out'))
  const before = readdirSync(at('home/bob'))
  for (const directory of ['out', 'out/in']) {
    expect((await ask('deploy@alice.example', { directory })).status).toBe(202)
    await exhaust(panel)
    expect(await occurred(panel)).toEqual({
      events: ['ftp.account.created', 'job.failed'],
      jobs: ['ftp.account.create failed'],
    })
    expect((await panel.get('/jobs?kind=ftp.account.create&order=desc')).body.items[0].error).toContain(
      'home/alice/out is not a directory',
    )
    expect((await panel.get(`${path}/accounts`)).body.total).toBe(0)
    expect([readdirSync(at('home/bob')), passwd()]).toEqual([before, [passwd()[0]]])
  }
  await login('deploy@alice.example', { directory: 'in' })
})

test('a file in place of a directory fails a change; it is applied once the file is gone', async () => {
  const { panel, login } = await withAlice()
  const { path } = await login('deploy@alice.example')
  writeFileSync(host(panel).at('home/alice/data'), 'mine')
  await panel.patch(path, { directory: 'data/in' })
  await exhaust(panel)
  expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['ftp.account.update failed'] })
  expect((await panel.get(path)).body).toMatchObject({ directory: 'data/in', status: 'active' })
  rmSync(host(panel).at('home/alice/data'))
  await panel.post(`${path}/password`, { new_password: 'canary-Smew-8852' })
  expect((await occurred(panel)).events).toEqual(['job.completed'])
  expect(host(panel).has('home/alice/data/in')).toBe(true)
})

test('a login can be deleted whatever its directory has become', async () => {
  const { panel, login } = await withAlice()
  const { path } = await login('deploy@alice.example', { directory: 'data' })
  renameSync(host(panel).at('home/alice/data'), host(panel).at('home/alice/elsewhere'))
  symlinkSync('elsewhere', host(panel).at('home/alice/data'))
  mkdirSync(host(panel).at('home/alice/kept'))
  expect((await panel.delete(path)).status).toBe(202)
  expect((await occurred(panel)).jobs).toEqual(['ftp.account.delete succeeded'])
  expect(host(panel).passwd()).toHaveLength(1)
})

test('a failed deletion stays deleting, is busy, and can be repeated', async () => {
  const disk = { down: false }
  const { panel, ask, login } = await withAlice({
    driver: (root) => {
      const real = createDirectoryDriver({ root })
      const apply = real.apply.bind(real)
      real.apply = (state, options) =>
        disk.down ? Promise.reject(new HostError('install', 'The disk is read-only.')) : apply(state, options)
      return real
    },
  })
  const { path } = await login('deploy@alice.example')
  disk.down = true
  const first = (await panel.delete(path)).body.job_id
  await exhaust(panel)
  expect(await occurred(panel)).toEqual({
    events: ['ftp.account.deleted', 'job.failed'],
    jobs: ['ftp.account.delete failed'],
  })
  expect((await panel.get(path)).body.status).toBe('deleting')
  expect(problem(await panel.post(`${path}/password`, { new_password: 'canary-Smew-8852' }))).toEqual([409, 'busy'])
  expect(problem(await ask('deploy@alice.example'))).toEqual([409, 'exists', 'login'])
  disk.down = false
  expect((await panel.delete(path)).body.job_id).not.toBe(first)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['ftp.account.delete succeeded'] })
})

test('a site and a login created at one path concurrently share it', async () => {
  const { panel, alice, login } = await withAlice()
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  await panel.settle()
  await domainsIn(panel, alice.id).domain('shop.example')
  await login('deploy@shop.example')
  expect(host(panel).has('home/alice/sites/shop.example')).toBe(false)
  await panel.post(`/accounts/${alice.id}/unsuspend`)
  expect((await occurred(panel)).events).toEqual(['account.unsuspended', 'job.completed'])
  expect(host(panel).mode('home/alice/sites/shop.example/public')).toBe('755')
})
