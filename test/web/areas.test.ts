import { describe, expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { everyPage } from './every-page.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

async function withAlice(options = {}) {
  const panel = await startPanel(options)
  const alice = await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  return { panel, alice, visitor }
}

describe('page that an area declares', { timeout: 60_000 }, () => {
  test('exists, with one heading and no script in it', async () => {
    const { panel, alice, visitor } = await withAlice()
    const pages = await everyPage(panel, alice.id, visitor)
    const wrong: string[] = []
    for (const { who, address } of pages) {
      const { status, body } = await who.get(address)
      const headings = body.match(/<h1/g)?.length
      if (status !== 200 || headings !== 1 || /<script(?! type="module" src)| on\w+=| style=/.test(body))
        wrong.push(`${address}: ${status} ${headings} ${textOf(body).slice(-200)}`)
    }
    expect(wrong).toEqual([])
    expect(pages.length).toBeGreaterThan(100)
  })
})

describe('pages of areas without a script', () => {
  test('a mailbox is created, gets a password and an autoresponder, and is deleted', async () => {
    const { panel, visitor } = await withAlice()
    const made = await visitor.submit(await visitor.get('/user/email/new'), 'createMailbox', {
      address: 'info@alice.example',
      password: 'a password of its own',
      quota_mb: '100',
    })
    const page = await visitor.follow(made)
    expect(made.headers.get('location')).toMatch(/^\/user\/email\/info%40alice\.example\?done=createMailbox&job=/)
    await panel.settle()
    const changed = await visitor.submit(page, 'changeMailboxPassword', { new_password: 'another of its own' })
    expect(textOf((await visitor.follow(changed)).body)).toContain('Password changed.')
    const unreachable = '/user/email/info%40alice.example/autoresponder'
    const empty = await visitor.get(unreachable)
    expect(textOf(empty.body)).toContain('Nothing is answered yet.')
    await visitor.submit(empty, 'setAutoresponder', { subject: 'Away', body: 'Back soon.' })
    const written = await visitor.get(unreachable)
    expect(written.body).toContain('value="Away"')
    await visitor.submit(await visitor.get(`${unreachable}?do=deleteAutoresponder`), 'deleteAutoresponder')
    expect(textOf((await visitor.get(unreachable)).body)).toContain('Nothing is answered yet.')
    const requests = await visitor.get('/user/email/info%40alice.example?do=deleteMailbox')
    await visitor.submit(requests, 'deleteMailbox')
    await panel.settle()
    expect(textOf((await visitor.get('/user/email')).body)).not.toContain('info@alice.example')
  })

  test('a record is added, changed and deleted, and a zone is replaced by its text', async () => {
    const { panel, visitor } = await withAlice()
    const zone = '/user/dns/alice.example'
    const added = await visitor.submit(await visitor.get(`${zone}/new`), 'createDnsRecord', {
      name: 'shop',
      type: 'A',
      value: '192.0.2.9',
    })
    expect(added.headers.get('location')).toMatch(/^\/user\/dns\/alice\.example\?done=createDnsRecord/)
    await panel.settle()
    const found = await visitor.get(`${zone}?q=192.0.2.9`)
    expect(textOf(found.body)).toContain('shop A 192.0.2.9')
    const [, record] = /href="(\/user\/dns\/alice\.example\/records\/[0-9A-Z]{26})"/.exec(found.body)!
    await visitor.submit(await visitor.get(record!), 'updateDnsRecord', { value: '192.0.2.10' })
    await panel.settle()
    expect(textOf((await visitor.get(`${zone}?q=192.0.2.10`)).body)).toContain('shop A 192.0.2.10')
    const requests = await visitor.get(`${record}?do=deleteDnsRecord`)
    expect((await visitor.submit(requests, 'deleteDnsRecord')).status).toBe(303)
    await panel.settle()
    expect(textOf((await visitor.get(`${zone}?q=shop`)).body)).toContain('Nothing matches.')
    const text = await visitor.get(`${zone}/text`)
    const old = formIn(text.body, 'importDnsZone').fields.get('zone_file')
    const expected = await visitor.submit(text, 'importDnsZone', { zone_file: `${old}new A 192.0.2.11\n` })
    expect(textOf(expected.body)).toContain('1 record will change.')
    const imported = await visitor.submit(expected, 'importDnsZone', { _yes: '1' })
    expect(imported.status, textOf(imported.body)).toBe(303)
    await panel.settle()
    expect(textOf((await visitor.get(`${zone}?q=192.0.2.11`)).body)).toContain('new A 192.0.2.11')
  })

  test('a database gets a user with privileges, and names stay text whatever they contain', async () => {
    const { panel, visitor } = await withAlice()
    await visitor.submit(await visitor.get('/user/mysql/new'), 'createDatabase', { name: 'alice_shop' })
    await visitor.submit(await visitor.get('/user/mysql/users/new'), 'createDatabaseUser', {
      name: 'alice_app',
      password: 'a password of its own',
    })
    await panel.settle()
    const page = await visitor.get('/user/mysql/alice_shop/users/alice_app')
    const granted = await visitor.submit(page, 'setDatabaseGrant', { privileges: 'SELECT' })
    expect(granted.status, textOf(granted.body)).toBe(303)
    await panel.settle()
    expect(textOf((await visitor.get('/user/mysql/alice_shop')).body)).toContain('alice_app')
    const hostile = await visitor.get(`/user/domains?q=${encodeURIComponent('"><img src=x onerror=alert(1)>')}`)
    expect([hostile.status, hostile.body.includes('<img')]).toEqual([200, false])
  })

  test('a directory is created, entered, and goes to the trash and back', async () => {
    const { panel, visitor } = await withAlice()
    await visitor.submit(await visitor.get('/user/files/sites'), 'makeDirectory', { path: 'sites/neu & alt' })
    const home = await visitor.get('/user/files/sites')
    expect(home.body).toContain('href="/user/files/sites/neu%20%26%20alt"')
    expect(textOf((await visitor.get('/user/files/sites/neu%20%26%20alt')).body)).toContain('The directory is empty.')
    const deleted = await visitor.submit(await visitor.get('/user/file/sites/neu%20%26%20alt'), 'deleteFile')
    expect(deleted.headers.get('location')).toMatch(/^\/user\/trash\?done=deleteFile/)
    const trash = await visitor.get('/user/trash')
    const [, item] = /href="(\/user\/trash\/[0-9A-Z]{26})"/.exec(trash.body)!
    expect((await visitor.submit(await visitor.get(item!), 'restoreTrashItem')).status).toBe(303)
    expect((await visitor.get('/user/files/sites')).body).toContain('neu%20%26%20alt')
    expect(panel.events()).toEqual([])
  })

  test('warnings stay on the home page until they are dismissed', async () => {
    const { panel, alice, visitor } = await withAlice()
    expect(textOf((await visitor.get('/user/')).body)).not.toContain('Needs attention Show all')
    const job = panel.panel.runtime.id()
    await panel.store.change(
      () =>
        void panel.store.sqlite
          .prepare(
            `INSERT INTO jobs (id, kind, status, max_attempts, payload, account_id, object_id, username, domain, owner_id,
               actor_type, actor_id, via, request_id, error, run_at, created_at, finished_at)
             VALUES (?, 'domain.create', 'failed', 1, '{}', ?, ?, 'alice', 'alice.example', ?, 'account', ?, 'panel', 'r',
               '"><img src=x onerror=alert(1)>', 1, 1, ?)`,
          )
          .run(job, alice.id, alice.id, alice.owner_id, alice.id, panel.clock.now()),
    )
    const home = await visitor.get('/user/')
    expect([home.body.includes('<img'), textOf(home.body).includes('onerror=alert(1)')]).toEqual([false, true])
    const page = await visitor.get('/user/notices')
    expect((await visitor.submit(page, 'dismissNoticeForAccount')).status).toBe(303)
    expect(textOf((await visitor.get('/user/notices')).body)).toContain('Nothing needs attention.')
    expect(textOf((await visitor.get('/user/')).body)).not.toContain('Needs attention Show all')
  })
})
