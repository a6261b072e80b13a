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
  const reply = await panel.post(`/backups/${id}/restore`, fresh)
  expect([reply.status, reply.body.account.username]).toEqual([202, 'anna'])
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
