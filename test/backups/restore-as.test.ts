import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FailingDriver } from '../drivers.ts'
import type { Json } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { events, nothing, received, withHome } from './fixtures.ts'

const fresh = { username: 'anna', domain: 'anna.example' }

test('a deleted account is restored as a new one: site, mail, domains and records', async () => {
  const { panel, alice, home, made } = await withHome()
  const base = `/accounts/${alice.id}`
  await panel.post(`${base}/domains`, { name: 'shop.example' })
  await panel.post(`${base}/domains`, { name: 'blog.alice.example' })
  const [zone] = (await panel.get(`${base}/dns/zones?q=alice.example`)).body.items
  await panel.post(`${base}/dns/zones/${zone.id}/records`, { name: 'api', type: 'A', value: '192.0.2.44' })
  await panel.settle()
  const { id } = await made()
  const copy = join(panel.dir, 'copy')
  execFileSync('cp', ['-a', home, copy])
  await panel.delete(`${base}?confirm=alice`)
  await panel.settle()
  panel.forget()
  const six = (await panel.post('/ips', { address: '2001:db8::1' })).body
  const wrong = await panel.post(`/backups/${id}/restore`, { ...fresh, ip6_id: alice.ip_id })
  expect([wrong.status, Object.keys(wrong.body.fields)]).toEqual([400, ['ip6_id']])
  const reply = await panel.post(`/backups/${id}/restore`, { ...fresh, ip6_id: six.id })
  expect([reply.status, reply.body.account.username]).toEqual([202, 'anna'])
  expect(reply.body.account.ip6_address).toBe('2001:db8::1')
  expect(await events(panel)).toEqual({
    events: ['account.created', 'job.completed', 'job.completed'],
    jobs: ['account.create succeeded', 'backup.restore succeeded'],
  })
  expect((await panel.get(`/jobs/${reply.body.job_id}`)).body.job.kind).toBe('backup.restore')
  const anna = `/accounts/${reply.body.account.id}`
  const names = (await panel.get(`${anna}/domains`)).body.items.map(({ name }: Json) => name)
  expect(names.sort()).toEqual(['anna.example', 'blog.anna.example', 'shop.example'])
  const [own] = (await panel.get(`${anna}/dns/zones?q=anna.example`)).body.items
  const records = (await panel.get(`${anna}/dns/zones/${own.id}/records?q=api`)).body.items
  expect(records.map(({ value }: Json) => value)).toEqual(['192.0.2.44'])
  const there = join(panel.dir, 'host/home/anna')
  execFileSync('diff', [
    '-r',
    '--no-dereference',
    join(there, 'sites/alice.example'),
    join(copy, 'sites/alice.example'),
  ])
  expect(existsSync(join(there, 'mail/alice.example'))).toBe(false)
  expect(readFileSync(join(there, 'mail/anna.example/alice/new/1'), 'utf8')).toBe('Subject: hello\n')
  expect((await panel.get(`${anna}/backups`)).body.total).toBe(0)
})

test('what another account has by now is left out and named, and the rest is restored', async () => {
  const { panel, alice, home, made } = await withHome()
  const base = `/accounts/${alice.id}`
  const shop = (await panel.post(`${base}/domains`, { name: 'shop.example' })).body.domain
  await panel.post(`${base}/domains`, { name: 'blog.shop.example' })
  await panel.post(`${base}/email/mailboxes`, {
    local: 'info',
    domain_id: shop.id,
    password: 'correct horse battery',
    quota_mb: 10,
  })
  await panel.post(`${base}/ftp/accounts`, { local: 'web', domain_id: shop.id, password: 'correct horse battery' })
  const cron = (command: string) => panel.post(`${base}/cron/jobs`, { schedule: '0 4 * * *', command })
  for (const command of ['php /home/alice/cron.php', 'ls /home/alice2 /srv/home/alice'])
    expect((await cron(command)).status).toBe(202)
  await panel.settle()
  const [{ document_root }] = (await panel.get(`${base}/domains?q=alice.example`)).body.items
  writeFileSync(join(home, document_root, '.user.ini'), 'auto_prepend_file = /home/alice/wordfence-waf.php\n')
  const { id } = await made()
  panel.forget()
  const { account, job_id } = (await panel.post(`/backups/${id}/restore`, fresh)).body
  expect((await events(panel)).jobs).toEqual(['account.create succeeded', 'backup.restore succeeded'])
  const { log } = (await panel.get(`/jobs/${job_id}`)).body
  const left = log.filter(({ level }: Json) => level === 'warn').map(({ message }: Json) => message)
  const why = 'left out with its mail and FTP accounts, since another account has it'
  expect(left.sort()).toEqual(
    [
      `${document_root}/.user.ini names the former home /home/alice: change it`,
      `blog.shop.example: ${why}`,
      'cron: the former home was replaced in the command: php /home/anna/cron.php',
      `shop.example: ${why}`,
      'shop.example: its zone was left out, since another account has it',
    ].sort(),
  )
  const anna = `/accounts/${account.id}`
  expect((await panel.get(`${anna}/domains`)).body.items.map(({ name }: Json) => name)).toEqual(['anna.example'])
  expect((await panel.get(`${anna}/cron/jobs`)).body.items.map(({ command }: Json) => command).sort()).toEqual([
    'ls /home/alice2 /srv/home/alice',
    'php /home/anna/cron.php',
  ])
  expect(existsSync(join(panel.dir, 'host/home/anna/sites'))).toBe(true)
})

test('if the account cannot be created its restore is cancelled', async () => {
  let broken!: FailingDriver
  const { panel, made } = await withHome({
    driver(root) {
      broken = new FailingDriver(root, 0)
      return broken
    },
  })
  const { id } = await made({ parts: ['files'] })
  panel.forget()
  broken.failures = 10
  await panel.post(`/backups/${id}/restore`, fresh)
  for (let n = 0; n < 20; n++) {
    await panel.settle()
    await panel.clock.advance(20_000)
  }
  expect(await events(panel)).toEqual({
    events: ['account.created', 'job.failed'],
    jobs: ['account.create failed', 'backup.restore cancelled'],
  })
  expect((await panel.get('/accounts?q=anna')).body.total).toBe(0)
})

test('taken names and parts that were not saved are refused; a reseller can only use its own backups', async () => {
  const { panel, made } = await withHome()
  const { id } = await made({ parts: ['files'] })
  const rita = await panel.account('rita', { make_reseller: true })
  const token = await resellerToken(panel, rita.id, ['create-acct'])
  panel.forget()
  const ask = (body: object, options = {}) => panel.post(`/backups/${id}/restore`, body, options)
  const answers = [
    await ask({ ...fresh, username: 'alice' }),
    await ask({ ...fresh, domain: 'alice.example' }),
    await ask({ ...fresh, parts: ['mail'] }),
    await ask({ ...fresh, parts: [] }),
    await ask(fresh, { token }),
  ]
  expect(answers.map(received)).toEqual([
    '400 validation username',
    '400 validation domain',
    '409 incomplete',
    '400 validation parts',
    '404 not-found',
  ])
  expect(await events(panel)).toEqual(nothing)
})

test('what the new account could not have is refused in one pass, before anything is made', async () => {
  const { panel, alice, home, made } = await withHome()
  const base = `/accounts/${alice.id}`
  const make = async (path: string, body: object) => {
    const reply = await panel.post(`${base}/${path}`, body)
    expect([path, reply.status, JSON.stringify(reply.body)]).toEqual([path, 202, expect.any(String)])
  }
  await make('domains', { name: 'blog.alice.example' })
  for (const local of ['info', 'sales'])
    await make('email/accounts', { address: `${local}@alice.example`, password: 'correct horse battery', quota_mb: 10 })
  for (const name of ['shop', 'wiki']) await make('mysql/databases', { name })
  await panel.settle()
  writeFileSync(join(home, 'sites/video.bin'), Buffer.alloc(3 * 1024 * 1024, 'panel'))
  const { id } = await made()
  const plan = { name: 'tiny', disk_quota_mb: 2, isolation: { inodes: 12 }, max_email: 1, max_sql: 1, max_sub: 0 }
  const tiny = (await panel.post('/packages', plan)).body
  panel.forget()
  const ask = (body: object) => panel.post(`/backups/${id}/restore`, body)
  const before = (await panel.get('/accounts')).body.total

  const small = await ask({ ...fresh, package_id: tiny.id })
  expect([small.status, small.body.type]).toEqual([409, expect.stringMatching(/limit-reached$/)])
  expect(Object.keys(small.body.fields).sort()).toEqual([
    'disk_quota_mb',
    'inodes_limit',
    'max_email',
    'max_sql',
    'max_sub',
  ])
  expect(small.body.fields.disk_quota_mb).toMatch(/^the backup needs 4 MB, and the account may use 2 MB$/)
  expect(small.body.fields.inodes_limit).toMatch(
    /^the backup has \d\d files and directories, and the account may have 12$/,
  )

  const named = await ask({ username: 'alice', domain: 'alice.example', package_id: tiny.id })
  expect([named.status, named.body.type]).toEqual([400, expect.stringMatching(/validation$/)])
  expect(Object.keys(named.body.fields)).toEqual(
    expect.arrayContaining(['username', 'domain', 'disk_quota_mb', 'max_sql', 'max_email']),
  )
  expect(
    received(
      await ask({ username: 'alice', domain: 'a b', package_id: '01J00000000000000000000000', owner_id: alice.id }),
    ),
  ).toBe('400 validation username domain owner_id package_id')
  const parts = await ask({ ...fresh, package_id: tiny.id, parts: ['dns'] })
  expect(parts.status).toBe(202)
  expect(await events(panel)).toEqual({
    events: ['account.created', 'job.completed', 'job.completed'],
    jobs: ['account.create succeeded', 'backup.restore succeeded'],
  })
  expect((await panel.get('/accounts')).body.total).toBe(before + 1)
})

test('a version of PHP that the node lacks is refused with the rest', async () => {
  const { panel, made } = await withHome()
  const { id } = await made()
  await panel.store.change(() => {
    panel.store.sqlite.prepare(`UPDATE backups SET php_versions = '["7.4"]' WHERE id = ?`).run(id)
  })
  panel.forget()
  const reply = await panel.post(`/backups/${id}/restore`, { ...fresh, username: 'alice' })
  expect([reply.status, Object.keys(reply.body.fields)]).toEqual([400, ['username']])
  expect(reply.body.detail).toMatch(/username .*PHP 7\.4 is not installed/)
  expect(received(await panel.post(`/backups/${id}/restore`, fresh))).toBe('409 not-configured')
  expect(await events(panel)).toEqual(nothing)
})

test('a backup whose manifest changed is refused before an account is made', async () => {
  const { panel, folder, made } = await withHome()
  const { id } = await made()
  writeFileSync(join(folder, id, 'manifest.json'), '{}')
  panel.forget()
  const reply = await panel.post(`/backups/${id}/restore`, fresh)
  expect([received(reply), reply.body.detail]).toEqual([
    '409 incomplete',
    'The backup is damaged: manifest.json has changed.',
  ])
  expect(await events(panel)).toEqual(nothing)
})
