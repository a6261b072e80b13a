import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rotateSecret } from '../../src/server/upkeep.ts'
import { ulid } from '../../src/shared/patterns.ts'
import { made as make } from '../fixtures/index.ts'
import type { Json, TestPanel } from '../harness.ts'
import { events, filesBelow, withHome } from './fixtures.ts'

const password = 'canary-Kingfisher-5521'
const public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM3Dm3QGyBMpT0Xr4xXyWw5Tcm2b0hXq9Xo3mB0o9nJd'

/** What an account has besides files: one of each, related to each other. */
async function furnish(panel: TestPanel, base: string): Promise<void> {
  await panel.patch(base, { shell: '/bin/bash' })
  const post = (path: string, body: object): Promise<Json> => make(panel, `${base}${path}`, body)
  const { mailbox } = await post('/email/accounts', { address: 'info@alice.example', password, max_per_hour: 50 })
  await panel.put(`${base}/email/accounts/${mailbox.id}/autoresponder`, { subject: 'Away', body: 'Soon.\n' })
  await post('/email/accounts', { address: 'old@alice.example', password })
  await post('/email/forwarders', {
    address: 'sales@alice.example',
    destinations: ['info@alice.example', 'x@ext.example'],
  })
  const [domain] = (await panel.get(`${base}/domains`)).body.items
  await panel.put(`${base}/email/domains/${domain.id}/catch-all`, {
    action: 'forward',
    destination: 'info@alice.example',
  })
  await post('/ftp/accounts', { login: 'deploy@alice.example', password, quota_mb: 7 })
  const { database } = await post('/mysql/databases', { name: 'shop', collation: 'utf8mb4_bin' })
  const { user } = await post('/mysql/users', { name: 'app', password })
  await panel.put(`${base}/mysql/databases/${database.id}/users/${user.id}`, { privileges: ['SELECT', 'INSERT'] })
  await post('/cron/jobs', { schedule: '@daily', command: 'php cron.php', comment: 'nightly', enabled: false })
  await post('/ssh/keys', { name: 'laptop', public_key })
  await panel.patch(`${base}/ssh`, { enabled: true })
  await panel.settle()
  panel.forget()
}

const lists = [
  'email/accounts',
  'email/forwarders',
  'ftp/accounts',
  'mysql/databases',
  'mysql/users',
  'cron/jobs',
  'ssh/keys',
]

/** Removes all of it. */
async function empty(panel: TestPanel, base: string): Promise<void> {
  const [domain] = (await panel.get(`${base}/domains`)).body.items
  await panel.put(`${base}/email/domains/${domain.id}/catch-all`, { action: 'reject' })
  for (const list of ['email/forwarders', ...lists])
    for (const { id, name } of (await panel.get(`${base}/${list}`)).body.items)
      await panel.delete(`${base}/${list}/${id}${list === 'mysql/databases' ? `?confirm=${name}` : ''}`)
  await panel.patch(`${base}/ssh`, { enabled: false })
  await panel.settle()
  panel.forget()
}

const countsIn = async (panel: TestPanel, base: string): Promise<number[]> =>
  Promise.all(lists.map(async (list) => (await panel.get(`${base}/${list}`)).body.items.length))

/** What the host's services receive: logins, hashes, addresses, grants, keys. */
const configOf = (panel: TestPanel): string => join(panel.dir, 'host/etc/panel')

async function withRows() {
  const input = await withHome()
  const { panel, alice } = input
  const base = `/accounts/${alice.id}`
  await furnish(panel, base)
  const before = contentOf(configOf(panel))
  const { id } = await input.made({ parts: ['config'] })
  panel.forget()
  return { ...input, base, before, id }
}

/** All files, without the ids in them: recreated objects have new ones. */
const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    filesBelow(folder).map(
      (name) => [name, readFileSync(join(folder, name), 'utf8')].map(withoutIds) as [string, string],
    ),
  )
const withoutIds = (text: string): string => text.replaceAll(new RegExp(ulid, 'g'), 'ID')
const restored = { events: ['job.completed'], jobs: ['backup.restore succeeded'] }
const linesOf = async (panel: TestPanel, job: string): Promise<string[]> =>
  (await panel.get(`/jobs/${job}`)).body.log.flatMap(({ level, message }: Json) => (level === 'warn' ? message : []))

test("the account's data is restored on the host too: logins, passwords, grants, keys", async () => {
  const { panel, base, path, id, before } = await withRows()
  await empty(panel, base)
  expect(await countsIn(panel, base)).toEqual([0, 0, 0, 0, 0, 0, 0])
  await panel.post(`${path}/${id}/restore`, { safety: false })
  expect(await events(panel)).toEqual(restored)
  expect(await countsIn(panel, base)).toEqual([2, 1, 1, 1, 1, 1, 1])
  expect(contentOf(configOf(panel))).toEqual(before)
  const [mailbox] = (await panel.get(`${base}/email/accounts`)).body.items
  expect(mailbox).toMatchObject({
    address: 'info@alice.example',
    status: 'active',
    max_per_hour: 50,
    autoresponder: true,
  })
  const [job] = (await panel.get(`${base}/cron/jobs`)).body.items
  expect(job).toMatchObject({ schedule: '@daily', command: 'php cron.php', comment: 'nightly', enabled: false })
  expect((await panel.get(`${base}/ssh`)).body.enabled).toBe(true)
})

test('changed rows are reset, newer ones stay, and a second restore changes nothing', async () => {
  const { panel, base, path, id } = await withRows()
  const [mailbox] = (await panel.get(`${base}/email/accounts`)).body.items
  const at = `${base}/email/accounts/${mailbox.id}`
  const before = readFileSync(join(configOf(panel), 'mail/passwd.d/alice.example'), 'utf8')
  await panel.put(`${at}/password`, { new_password: 'another-canary-77' })
  await panel.patch(at, { max_per_hour: 9 })
  await panel.delete(`${at}/autoresponder`)
  await make(panel, `${base}/mysql/databases`, { name: 'since' })
  await panel.settle()
  expect(readFileSync(join(configOf(panel), 'mail/passwd.d/alice.example'), 'utf8')).not.toBe(before)
  panel.forget()
  for (let n = 0; n < 2; n++) {
    await panel.post(`${path}/${id}/restore`, { safety: false })
    expect(await events(panel)).toEqual(restored)
    expect((await panel.get(at)).body).toMatchObject({ max_per_hour: 50, autoresponder: true })
    expect(await countsIn(panel, base)).toEqual([2, 1, 1, 2, 1, 1, 1])
    expect(readFileSync(join(configOf(panel), 'mail/passwd.d/alice.example'), 'utf8')).toBe(before)
  }
})

test('gives names the prefix of a new account, addresses its domain, and keeps passwords', async () => {
  const { panel, base, id } = await withRows()
  const hashes = (sql: string): unknown => panel.store.sqlite.prepare(sql).pluck().all()
  const mail = 'SELECT hash FROM email_mailboxes ORDER BY local'
  const [mailHashes, ftpHashes] = [hashes(mail), hashes('SELECT hash FROM ftp_accounts')]
  const hashOfSql = (name: string): string =>
    readFileSync(join(configOf(panel), `db.d/${name}.sql`), 'utf8').match(/\*[0-9A-F]{40}/)![0]
  const sqlHash = hashOfSql('alice')
  await panel.delete(`${base}?confirm=alice`)
  await panel.settle()
  panel.forget()
  const { account } = (await panel.post(`/backups/${id}/restore`, { username: 'anna', domain: 'anna.example' })).body
  expect(await events(panel)).toEqual({
    events: ['account.created', 'job.completed', 'job.completed'],
    jobs: ['account.create succeeded', 'backup.restore succeeded'],
  })
  const anna = `/accounts/${account.id}`
  const all = async (list: string, field: string) =>
    (await panel.get(`${anna}/${list}`)).body.items.map((one: Json) => one[field])
  expect(await all('email/accounts', 'address')).toEqual(['info@anna.example', 'old@anna.example'])
  expect(await all('email/forwarders', 'destinations')).toEqual([['info@anna.example', 'x@ext.example']])
  expect(await all('ftp/accounts', 'login')).toEqual(['deploy@anna.example'])
  expect(await all('mysql/databases', 'name')).toEqual(['anna_shop'])
  expect(await all('mysql/users', 'databases')).toEqual([
    [{ id: expect.any(String), name: 'anna_shop', privileges: ['SELECT', 'INSERT'] }],
  ])
  expect((await panel.get(`${anna}/email/domains`)).body.items[0].catch_all.destination).toBe('info@anna.example')
  expect([hashes(mail), hashes('SELECT hash FROM ftp_accounts')]).toEqual([mailHashes, ftpHashes])
  expect(hashOfSql('anna')).toBe(sqlHash)
})

test('fails a part above a limit before a row changes', async () => {
  const { panel, alice, base, path, id } = await withRows()
  await empty(panel, base)
  for (const limit of [{ max_sql: 0 }, { max_ftp: 0 }, { max_pop: 1 }]) {
    await panel.patch(base, limit)
    await panel.settle()
    panel.forget()
    const { job_id } = (await panel.post(`${path}/${id}/restore`, { safety: false })).body
    expect(await events(panel)).toEqual({ events: ['job.failed'], jobs: ['backup.restore failed'] })
    expect((await panel.get(`/jobs/${job_id}`)).body.job.error).toMatch(
      /^The part config was not restored: The account has \d of \d/,
    )
    expect(await countsIn(panel, base)).toEqual([0, 0, 0, 0, 0, 0, 0])
    await panel.patch(base, { max_sql: null, max_ftp: null, max_pop: null })
  }
  expect(alice.username).toBe('alice')
})

test('a newer forwarder that would form a loop fails the part', async () => {
  const { panel, base, path, id } = await withRows()
  const [forwarder] = (await panel.get(`${base}/email/forwarders`)).body.items
  const [domain] = (await panel.get(`${base}/domains`)).body.items
  await panel.put(`${base}/email/domains/${domain.id}/catch-all`, { action: 'reject' })
  await panel.patch(`${base}/email/forwarders/${forwarder.id}`, { destinations: ['x@ext.example'] })
  await make(panel, `${base}/email/forwarders`, {
    address: 'info@alice.example',
    destinations: ['sales@alice.example'],
  })
  await panel.delete(`${base}/email/forwarders/${forwarder.id}`)
  await panel.settle()
  panel.forget()
  const { job_id } = (await panel.post(`${path}/${id}/restore`, { safety: false })).body
  expect(await events(panel)).toEqual({ events: ['job.failed'], jobs: ['backup.restore failed'] })
  expect((await panel.get(`/jobs/${job_id}`)).body.job.error).toContain('must not lead back to sales@alice.example')
  expect((await panel.get(`${base}/email/forwarders`)).body.total).toBe(1)
})

test('passwords are sealed in a backup; without its key they are listed as missing', async () => {
  const { panel, base, path, folder, id } = await withRows()
  const hashes = panel.store.sqlite
    .prepare('SELECT hash FROM email_mailboxes UNION SELECT hash FROM ftp_accounts')
    .pluck()
    .all()
  const text = readFileSync(join(folder, id, 'account.json'), 'utf8')
  for (const hash of [...hashes, password, '*0DC170BDA6812F3BC6A68403149D07F7EF3C6C7A'])
    expect(text).not.toContain(hash)
  const forget = 'UPDATE backups SET secrets_key = NULL'
  await panel.store.change(() => void panel.store.sqlite.prepare(forget).run())
  await empty(panel, base)
  const { job_id } = (await panel.post(`${path}/${id}/restore`, { safety: false })).body
  expect(await events(panel)).toEqual(restored)
  expect(await linesOf(panel, job_id)).toEqual([
    'info@alice.example: its password cannot be read in this backup: set a new one',
    'old@alice.example: its password cannot be read in this backup: set a new one',
    'alice_app: its password cannot be read in this backup: set a new one',
    'deploy@alice.example: its password cannot be read in this backup: set a new one',
  ])
  expect(await countsIn(panel, base)).toEqual([2, 1, 1, 1, 1, 1, 1])
})

test('restores what was sealed before a new secret.key all the same', async () => {
  const { panel, base, path, id, before } = await withRows()
  await empty(panel, base)
  writeFileSync(join(panel.dir, 'secret.key'), Buffer.alloc(32, 7), { mode: 0o600 })
  const start = panel.start.bind(panel)
  panel.start = async () => {
    expect(await rotateSecret(panel.dir)).toBeGreaterThan(0)
    return start()
  }
  await panel.restart()
  await panel.settle()
  panel.forget()
  const { job_id } = (await panel.post(`${path}/${id}/restore`, { safety: false })).body
  expect(await events(panel)).toEqual(restored)
  expect([await linesOf(panel, job_id), contentOf(configOf(panel))]).toEqual([[], before])
})

const off = (...features: string[]): object => ({ features: Object.fromEntries(features.map((name) => [name, false])) })
const leftOff = (what: string, feature: string): string =>
  `${what}: not restored, since the feature ${feature} is turned off for this account`

test('skips and reports what is turned off now: for the customer, for root, and in a new account', async () => {
  const { panel, alice, base, path, id } = await withRows()
  const token = await panel.token(['full-access'], { account: alice.id })
  await empty(panel, base)
  const list = `/feature-lists/${alice.feature_list_id}`
  await panel.patch(list, off('ssh', 'cron', 'ftp_accounts', 'mysql', 'pop_accounts', 'forwarders'))
  panel.forget()
  for (const send of [{ token }, {}]) {
    const { job_id } = (await panel.post(`${path}/${id}/restore`, { parts: ['config'], safety: false }, send)).body
    expect(await events(panel)).toEqual(restored)
    expect((await linesOf(panel, job_id)).toSorted()).toEqual([
      'alice.example: its catch-all was not restored, since info@alice.example does not exist',
      leftOff('cron', 'cron'),
      leftOff('forwarders', 'forwarders'),
      leftOff('ftp', 'ftp_accounts'),
      leftOff('mailboxes', 'pop_accounts'),
      leftOff('mysql', 'mysql'),
      leftOff('ssh', 'ssh'),
    ])
    expect(await countsIn(panel, base)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect((await panel.get(`${base}/ssh`)).body.enabled).toBe(false)
  }
  const { account } = (await panel.post(`/backups/${id}/restore`, { username: 'anna', domain: 'anna.example' })).body
  await panel.settle()
  expect(await countsIn(panel, `/accounts/${account.id}`)).toEqual([0, 0, 0, 0, 0, 0, 0])
})

test('aliases of the backup take the place of what the panel made since', async () => {
  const { panel, base, path, made } = await withRows()
  const [zone] = (await panel.get(`${base}/dns/zones`)).body.items
  const records = `${base}/dns/zones/${zone.id}`
  await make(panel, `${records}/records`, { name: 'autodiscover', type: 'CNAME', value: 'autodiscover.outlook.com.' })
  const { id } = await made({ parts: ['config', 'dns'] })
  expect((await panel.post(`${records}/reset`)).status).toBe(202)
  await panel.settle()
  const there = async () => {
    const found = (await panel.get(`${records}/records?q=autodiscover`)).body.items
    return found.map(({ name, type, managed }: Json) => `${name} ${type} ${managed}`)
  }
  expect(await there()).toEqual(['autodiscover A true', '_autodiscover._tcp SRV true'])
  expect((await panel.post(`${path}/${id}/restore`, { safety: false })).status).toBe(202)
  await panel.settle()
  expect(await there()).toEqual(['autodiscover CNAME false'])
})

test('settings that need a feature that is off now stay unchanged', async () => {
  const { panel, alice, base, path, made } = await withRows()
  const [domain] = (await panel.get(`${base}/domains`)).body.items
  const [zone] = (await panel.get(`${base}/dns/zones`)).body.items
  const records = `${base}/dns/zones/${zone.id}/records`
  const { record } = await make(panel, records, { name: 'api', type: 'A', value: '192.0.2.44' })
  const { id } = await made({ parts: ['config', 'dns'] })
  const [mailbox] = (await panel.get(`${base}/email/accounts`)).body.items
  const mail = `${base}/email/domains/${domain.id}`
  await panel.delete(`${records}/${record.id}`)
  await panel.delete(`${base}/email/accounts/${mailbox.id}/autoresponder`)
  await panel.put(`${mail}/catch-all`, { action: 'reject' })
  await panel.put(`${mail}/routing`, { routing: 'local' })
  await make(panel, `${base}/domains/${domain.id}/redirects`, { path: '/new', target: 'https://new.example/' })
  await panel.put(`${base}/email/spam/filter`, { enabled: false, score: 9 })
  await panel.put(`${base}/email/spam/box`, { enabled: false })
  await panel.settle()
  const visible = async () => {
    const { routing, catch_all } = (await panel.get(mail)).body
    const redirects = (await panel.get(`${base}/domains/${domain.id}/redirects`)).body.items
    const spam = (await panel.get(`${base}/email/spam`)).body
    const { autoresponder } = (await panel.get(`${base}/email/accounts/${mailbox.id}`)).body
    const api = (await panel.get(`${records}?q=api`)).body.items.length
    return { routing, catch_all, spam, autoresponder, api, redirects: redirects.map(({ path }: Json) => path) }
  }
  const now = await visible()
  expect(now).toEqual({
    ...{ routing: 'local', catch_all: { action: 'reject' }, autoresponder: false, api: 0, redirects: ['/new'] },
    spam: { filter: false, score: 9, box: false },
  })
  const ofMail = ['autoresponders', 'default_address', 'change_mx', 'spam_box', 'spam_filter']
  await panel.patch(`/feature-lists/${alice.feature_list_id}`, off(...ofMail, 'redirects', 'zone_edit'))
  panel.forget()
  const { job_id } = (await panel.post(`${path}/${id}/restore`, { safety: false })).body
  expect(await events(panel)).toEqual(restored)
  expect(await visible()).toEqual(now)
  expect((await linesOf(panel, job_id)).toSorted()).toEqual([
    leftOff('autoresponders', 'autoresponders'),
    leftOff('catch-alls', 'default_address'),
    leftOff('dns', 'zone_edit'),
    leftOff('mail routing', 'change_mx'),
    leftOff('redirects', 'redirects'),
    leftOff('spam_box', 'spam_box'),
    leftOff('spam_filter', 'spam_filter'),
    leftOff('spam_score', 'spam_filter'),
  ])
})
