import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataSchema } from '../../src/contract/events.ts'
import { domainsIn } from '../domains/fixtures.ts'
import { ftpOf, hash, host, nothing, occurred, password, problem, withAlice } from './fixtures.ts'

const own = 'alice:!:20000:20000::/home/alice:/bin/false'

test('a login is created by a job, with a line after the system name and its directory in the home', async () => {
  const { panel, ask, path } = await withAlice()
  const made = await ask('deploy@alice.example', { quota_mb: 1000 })
  const { ftp_account, job_id } = made.body
  expect([made.status, ftp_account]).toEqual([
    202,
    {
      id: ftp_account.id,
      login: 'deploy@alice.example',
      domain: 'alice.example',
      directory: 'sites/alice.example/public',
      quota_mb: 1000,
      password_changed_at: ftp_account.created_at,
      status: 'creating',
      created_at: ftp_account.created_at,
    },
  ])
  expect(await occurred(panel)).toEqual({
    events: ['ftp.account.created', 'job.completed'],
    jobs: ['ftp.account.create succeeded'],
  })
  expect((await panel.get(`/jobs/${job_id}`)).body.job).toMatchObject({ payload: {}, max_attempts: 3 })
  expect((await panel.get(`${path}/accounts/${ftp_account.id}`)).body).toEqual({ ...ftp_account, status: 'active' })
  const { passwd, quotas, mode } = host(panel)
  expect(passwd()).toEqual([
    own,
    'deploy@alice.example:$6$…:20000:20000::/home/alice/sites/alice.example/public:/bin/false',
  ])
  expect(quotas()).toBe('deploy@alice.example 1048576000\n')
  expect([mode('etc/panel/ftp/passwd.d/alice'), mode('etc/panel/ftp/quotas.d/alice')]).toEqual(['600', '600'])
})

test('its events match their schemas', async () => {
  const { panel, login } = await withAlice()
  const { id, path } = await login('deploy@alice.example')
  await panel.delete(path)
  for (const type of ['ftp.account.created', 'ftp.account.deleted'] as const) {
    const [{ data }] = (await panel.get(`/events?type=${type}`)).body.items
    expect(dataSchema(type).parse(data)).toMatchObject({
      object: 'ftp_account',
      object_id: id,
      details: { login: 'deploy@alice.example' },
    })
  }
})

test('logins are sorted by name, each with its directory; the home itself is /', async () => {
  const { panel, alice, login } = await withAlice()
  await domainsIn(panel, alice.id).domain('shop.example')
  await login('z@alice.example', { directory: 'data/in' })
  await login('all@alice.example', { directory: '/' })
  await login('Z@SHOP.example')
  expect(host(panel).passwd()).toEqual([
    own,
    'all@alice.example:$6$…:20000:20000::/home/alice:/bin/false',
    'z@alice.example:$6$…:20000:20000::/home/alice/data/in:/bin/false',
    'z@shop.example:$6$…:20000:20000::/home/alice/sites/shop.example/public:/bin/false',
  ])
  expect(host(panel).quotas()).toBe('')
  expect([host(panel).mode('home/alice/data'), host(panel).mode('home/alice/data/in')]).toEqual(['755', '755'])
})

const badLogins = ['deploy', '@alice.example', 'a b@alice.example', 'a:b@alice.example', 'a\nb@alice.example']
const moreBad = ['.a@alice.example', 'a.@alice.example', 'a..b@alice.example', 'a+b@alice.example', 'ü@alice.example']
test.each([...badLogins, ...moreBad, `${'a'.repeat(33)}@alice.example`, 'a@*.alice.example', 'a@b@alice.example'])(
  'refuses %j as a login',
  async (login) => {
    const { panel, ask, path } = await withAlice()
    expect(problem(await ask(login))).toEqual([400, 'validation', 'login'])
    expect(await occurred(panel)).toEqual(nothing)
    expect((await panel.get(`${path}/accounts`)).body).toEqual({ items: [], total: 0 })
    expect(host(panel).passwd()).toEqual([own])
  },
)

test("an unknown domain and another account's give the same error; a wildcard cannot have logins", async () => {
  const { panel, alice, ask } = await withAlice()
  await panel.account('bob')
  await domainsIn(panel, alice.id).domain('*.alice.example')
  const replies = [await ask('deploy@bob.example'), await ask('deploy@nowhere.example'), await ask('a@*.alice.example')]
  expect(replies.map(problem)).toEqual(replies.map(() => [400, 'validation', 'login']))
  expect(replies[0]!.body.fields).toEqual(replies[1]!.body.fields)
})

test('logins are unique, in any case; a mailbox may have the same name', async () => {
  const { panel, alice, ask } = await withAlice()
  const both = await Promise.all([ask('deploy@alice.example'), ask('DEPLOY@Alice.Example')])
  expect(both.map(problem).toSorted()).toEqual([
    [202, undefined],
    [409, 'exists', 'login'],
  ])
  const mailbox = await panel.post(`/accounts/${alice.id}/email/accounts`, {
    address: 'deploy@alice.example',
    password,
  })
  expect(mailbox.status).toBe(202)
  await panel.settle()
})

const badDirectories = ['../x', '/etc', 'a/../b', 'a//b', 'a\nb', 'a:b', '~', 'mail/x', 'mail', 'tmp', 'tmp/x', '.ssh']
test.each([...badDirectories, 'a/', '', 'sites/.git', 'a b', 'ü', `${'a/'.repeat(16)}a`, 'a'.repeat(65)])(
  'refuses %j as a directory',
  async (directory) => {
    const { panel, ask, login } = await withAlice()
    expect(problem(await ask('deploy@alice.example', { directory }))).toEqual([400, 'validation', 'directory'])
    expect(await occurred(panel)).toEqual(nothing)
    const { path } = await login('deploy@alice.example')
    expect(problem(await panel.patch(path, { directory }))).toEqual([400, 'validation', 'directory'])
  },
)

test.each(['mails', 'tmpx/mail', `${'a/'.repeat(15)}a`, 'a'.repeat(64), '_x/-y/a.b'])(
  'accepts %j as a directory',
  async (directory) => {
    const { panel, login } = await withAlice()
    await login('deploy@alice.example', { directory })
    expect(host(panel).has(`home/alice/${directory}`)).toBe(true)
  },
)

test('all errors are reported together', async () => {
  const { ask } = await withAlice()
  const wrong = await ask('no login', { password: 'short', directory: '/etc', quota_mb: 0 })
  expect(problem(wrong)).toEqual([400, 'validation', 'login', 'password', 'directory', 'quota_mb'])
  const name = 'deployment@nowhere.example'
  expect(problem(await ask(name, { password: name }))).toEqual([400, 'validation', 'login', 'password'])
  for (const password of ['deployment', 'Deployment', 'pass\tword'])
    expect(problem(await ask('deployment@alice.example', { password }))).toEqual([400, 'validation', 'password'])
  for (const quota_mb of [0, -1, 1.5, '5', null])
    expect(problem(await ask('deploy@alice.example', { quota_mb }))).toEqual([400, 'validation', 'quota_mb'])
})

test('directory and quota are changed, and null clears the quota', async () => {
  const { panel, login } = await withAlice()
  const { path } = await login('deploy@alice.example', { quota_mb: 5 })
  const changed = await panel.patch(path, { directory: 'other', quota_mb: 7 })
  expect([changed.status, changed.body.ftp_account]).toMatchObject([202, { directory: 'other', quota_mb: 7 }])
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['ftp.account.update succeeded'] })
  expect([host(panel).passwd()[1], host(panel).quotas()]).toEqual([
    'deploy@alice.example:$6$…:20000:20000::/home/alice/other:/bin/false',
    `deploy@alice.example ${7 * 1024 * 1024}\n`,
  ])
  expect((await panel.patch(path, { quota_mb: null })).body.ftp_account).not.toHaveProperty('quota_mb')
  await panel.settle()
  expect(host(panel).quotas()).toBe('')
  expect(problem(await panel.patch(path, { login: 'x@alice.example' }))).toEqual([400, 'validation', 'login'])
})

test('a new password gives a new hash, and neither is ever returned', async () => {
  const { panel, path, login } = await withAlice()
  const one = await login('deploy@alice.example')
  const file = host(panel).at('etc/panel/ftp/passwd.d/alice')
  const hashes = [hash.exec(readFileSync(file, 'utf8'))![0]]
  const next = 'canary-Smew-8852'
  await panel.clock.advance(1000)
  const changed = await panel.post(`${one.path}/password`, { new_password: next })
  expect([changed.status, changed.body.ftp_account.password_changed_at]).toEqual([202, panel.clock.now()])
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['ftp.account.password succeeded'] })
  hashes.push(hash.exec(readFileSync(file, 'utf8'))![0])
  expect(new Set(hashes).size).toBe(2)
  expect(problem(await panel.post(`${one.path}/password`, { new_password: 'deploy@alice.example' }))).toEqual([
    400,
    'validation',
    'new_password',
  ])
  const received = await Promise.all(['/events', '/jobs', '/audit', `${path}/accounts`].map((at) => panel.get(at)))
  const store = ['panel.db', 'panel.db-wal'].map((name) => readFileSync(join(panel.dir, name), 'latin1')).join()
  const answers = JSON.stringify(received) + panel.logged.join()
  for (const secret of [password, next])
    expect([answers.includes(secret), store.includes(secret)]).toEqual([false, false])
  for (const made of hashes) expect(answers.includes(made)).toBe(false)
})

test('a deleted login is removed from the host; its files stay, and it is busy until then', async () => {
  const { panel, login } = await withAlice()
  const { path } = await login('deploy@alice.example', { directory: 'data', quota_mb: 1 })
  const deleted = await panel.delete(path)
  expect([deleted.status, deleted.body.ftp_account.status]).toEqual([202, 'deleting'])
  expect((await panel.delete(path)).body).toEqual(deleted.body)
  expect(problem(await panel.patch(path, {}))).toEqual([409, 'busy'])
  expect(await occurred(panel)).toEqual({
    events: ['ftp.account.deleted', 'job.completed'],
    jobs: ['ftp.account.delete succeeded'],
  })
  const { passwd, quotas, has } = host(panel)
  expect([passwd(), quotas(), has('home/alice/data')]).toEqual([[own], '', true])
  expect(problem(await panel.get(path))).toEqual([404, 'not-found'])
})

test('limits count rows, and of two concurrent creates one wins', async () => {
  const { panel, alice, ask, login } = await withAlice()
  await panel.patch(`/accounts/${alice.id}`, { max_ftp: 2 })
  await panel.settle()
  await login('one@alice.example')
  const both = await Promise.all([ask('two@alice.example'), ask('three@alice.example')])
  expect(both.map(problem).toSorted()).toEqual([
    [202, undefined],
    [409, 'limit-reached', 'max_ftp'],
  ])
  expect((await panel.get(`/accounts/${alice.id}/usage`)).body.ftp_accounts).toEqual({ used: 2, limit: 2 })
  await panel.settle()
})

test('refuses additions and changes with the feature off, but shows and deletes existing logins', async () => {
  const { panel, alice, ask, login, path } = await withAlice()
  const one = await login('deploy@alice.example')
  const list = (await panel.get(`/feature-lists/${alice.feature_list_id}`)).body
  await panel.patch(`/feature-lists/${list.id}`, { features: { ...list.features, ftp_accounts: false } })
  for (const reply of [
    await ask('other@alice.example'),
    await panel.post(`${path}/accounts`, '{'),
    await panel.patch(one.path, {}),
    await panel.post(`${one.path}/password`, {}),
  ])
    expect(problem(reply)).toEqual([403, 'feature-disabled'])
  expect((await panel.get(`${path}/accounts`)).body.total).toBe(1)
  expect((await panel.delete(one.path)).status).toBe(202)
  await panel.settle()
})

test('shows the server, its sessions, lists and lookups', async () => {
  const { panel, alice, path, login } = await withAlice()
  expect((await panel.get(path)).body).toEqual({
    host: 'host.example',
    ftp_port: 21,
    sftp_port: 2222,
    quota_enforced: false,
  })
  expect((await panel.get(`${path}/sessions`)).body).toEqual({ items: [] })
  const one = await login('deploy@alice.example')
  await login('other@alice.example')
  const names = async (query: string) =>
    (await panel.get(`${path}/accounts?${query}`)).body.items.map(({ login }: { login: string }) => login)
  expect(await names('q=deploy@')).toEqual(['deploy@alice.example'])
  expect(await names('order=desc&per_page=1')).toEqual(['other@alice.example'])
  const found = async (query: string) => (await panel.get(`/lookup?kind=ftp_account&${query}`)).body.items
  const seen = {
    kind: 'ftp_account',
    id: one.id,
    name: 'deploy@alice.example',
    account_id: alice.id,
    username: 'alice',
  }
  expect(await found('name=Deploy@Alice.example')).toEqual([seen])
  expect(await found('prefix=dep')).toEqual([seen])
  expect(await found('name=deploy')).toEqual([])
})

test("another account's login is not found, even by root", async () => {
  const { panel, login } = await withAlice()
  const { id } = await login('deploy@alice.example')
  const bobs = ftpOf(panel, (await panel.account('bob')).id)
  expect(problem(await panel.get(`${bobs.path}/accounts/${id}`))).toEqual([404, 'not-found'])
  expect(problem(await panel.delete(`${bobs.path}/accounts/${id}`))).toEqual([404, 'not-found'])
})

test("an account's token with the area files can access logins and their jobs", async () => {
  const { panel, alice, path } = await withAlice()
  const token = await panel.token(['files:write'], { account: alice.id })
  const made = await panel.post(`${path}/accounts`, { login: 'deploy@alice.example', password }, { token })
  expect(made.status).toBe(202)
  await panel.settle()
  const job = await panel.get(`/accounts/${alice.id}/jobs/${made.body.job_id}`, { token })
  expect(job.body.job.status).toBe('succeeded')
  const other = await panel.token(['mysql:write'], { account: alice.id })
  expect(problem(await panel.get(`${path}/accounts`, { token: other }))).toEqual([403, 'token-scope'])
})
