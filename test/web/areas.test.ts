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

  test('filters of a mailbox are added, changed, moved and removed in a form', async () => {
    const { panel, alice, visitor } = await withAlice()
    const typed = { address: 'info@alice.example', password, quota_mb: 100 }
    const { mailbox } = (await panel.post(`/accounts/${alice.id}/email/accounts`, typed)).body
    await panel.settle()
    const page = '/user/email/info@alice.example/filters'
    const items = async () => (await panel.get(`/accounts/${alice.id}/email/accounts/${mailbox.id}/filters`)).body.items
    const save = async (filled: Record<string, string>, at = page): Promise<void> => {
      const { body } = await visitor.get(at)
      const form = body.slice(body.indexOf('id="filter"'))
      const { action, fields } = formIn(form, 'setMailFilters')
      for (const name of ['when.what', 'when.test', 'when.value', 'then.what', 'then.value']) fields.delete(name)
      for (const [name, value] of Object.entries(filled)) fields.set(name, value)
      const saved = await visitor.post(action, fields)
      expect(saved.status, textOf(saved.body)).toBe(303)
    }
    const work = { 'when.what': 'from', 'when.test': 'contains', 'when.value': 'boss@', 'then.what': 'move' }
    await save({ name: 'Work', ...work, 'then.value': 'Work' })
    const urgent = { 'when.what': 'header', 'when.test': 'is', 'when.value': 'X-Priority: 1' }
    await save({ name: 'Urgent', ...urgent, 'then.what': 'mark flagged', 'then.value': '', stop: 'true' })
    const all = [
      {
        name: 'Work',
        match: 'all',
        when: [{ field: 'from', test: 'contains', value: 'boss@' }],
        then: [{ action: 'move', folder: 'Work' }],
        stop: false,
      },
      {
        name: 'Urgent',
        match: 'all',
        when: [{ field: 'header', name: 'X-Priority', test: 'is', value: '1' }],
        then: [{ action: 'mark', as: 'flagged' }],
        stop: true,
      },
    ]
    expect(await items()).toEqual(all)
    await save({ name: 'Job', ...work, 'then.value': 'Job' }, `${page}?edit=0`)
    const changed = { ...all[0], name: 'Job', then: [{ action: 'move', folder: 'Job' }] }
    expect(await items()).toEqual([changed, all[1]])
    const listed = await visitor.get(page)
    expect(textOf(listed.body)).toContain('Job From contains boss@ Move to the folder Job Edit Remove')
    const buttons = listed.body.split('<form').filter((one: string) => one.includes('value="setMailFilters"'))
    const press = (label: string, at: number) =>
      visitor.submit(
        { ...listed, body: `<form${buttons.filter((one: string) => one.includes(`>${label}</button>`))[at]}` },
        'setMailFilters',
      )
    expect((await press('Move up', 0)).status).toBe(303)
    expect(await items()).toEqual([all[1], changed])
    expect((await press('Remove', 0)).status).toBe(303)
    expect(await items()).toEqual([all[1]])
  })

  test('a filter that lacks something is refused with what was typed', async () => {
    const { panel, alice, visitor } = await withAlice()
    const typed = { address: 'info@alice.example', password, quota_mb: 100 }
    await panel.post(`/accounts/${alice.id}/email/accounts`, typed)
    await panel.settle()
    const page = await visitor.get('/user/email/info@alice.example/filters')
    const refused = await visitor.submit(page, 'setMailFilters', { name: 'Work "1"', 'then.what': 'discard' })
    expect([refused.status, textOf(refused.body).includes('when')]).toEqual([400, true])
    expect(refused.body).toContain('value="Work &quot;1&quot;"')
    const broken = await visitor.submit(page, 'setMailFilters', { _list: '{' })
    expect(broken.status).toBe(400)
  })

  test('access rules of a domain are added, changed and removed in a form, and passwords are never shown', async () => {
    const { panel, alice, visitor } = await withAlice()
    const page = '/user/domains/alice.example/access'
    const [{ id }] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
    const rules = async () => (await panel.get(`/accounts/${alice.id}/domains/${id}`)).body.access
    const save = async (filled: Record<string, string>, at = page) => {
      const { body } = await visitor.get(at)
      const { action, fields } = formIn(body.slice(body.indexOf('id="rule"')), 'updateDomain')
      for (const [name, value] of Object.entries(filled)) fields.set(name, value)
      return visitor.post(action, fields)
    }
    const secret = 'a password for visitors'
    const added = { path: '/private', allow: '192.0.2.0/24\n2001:db8::/32', user: 'anna', user_password: secret }
    const done = await visitor.follow(await save(added))
    expect(done.body).not.toContain(secret)
    expect(done.body).not.toContain(encodeURIComponent(secret).replaceAll('%20', '+'))
    await panel.settle()
    const rule = { path: '/private', allow: ['192.0.2.0/24', '2001:db8::/32'], users: [{ name: 'anna' }] }
    expect(await rules()).toEqual([rule])
    expect(textOf((await visitor.get(page)).body)).toContain('/private 192.0.2.0/24, 2001:db8::/32 – anna Edit Remove')

    expect((await save({ deny: '192.0.2.7', allow: '' }, `${page}?edit=0`)).status).toBe(303)
    const changed = { path: '/private', deny: ['192.0.2.7/32'], users: [{ name: 'anna' }] }
    expect(await rules()).toEqual([{ ...changed, deny: [expect.stringMatching(/^192\.0\.2\.7/)] }])

    const refused = await save({ path: 'nowhere', deny: '192.0.2.8', user: 'bob', user_password: secret })
    expect([refused.status, refused.body.includes(secret)]).toEqual([400, false])
    expect(textOf(refused.body)).toContain('must be a path such as /private')
    expect(refused.body).toContain('value="nowhere"')

    const listed = await visitor.get(page)
    const [removing] = listed.body.split('<form').filter((one: string) => one.includes('>Remove</button>'))
    expect((await visitor.submit({ ...listed, body: `<form${removing}` }, 'updateDomain')).status).toBe(303)
    expect(await rules()).toEqual([])
    expect((await visitor.get('/user/domains/alice.example')).body).not.toContain('name="access"')
  })

  test('a database is created with its user in one form, and its page says how to connect', async () => {
    const { panel, visitor } = await withAlice()
    const form = await visitor.get('/user/mysql/new')
    const typed = { name: 'shop', user: 'app', password: 'a password of its own' }
    const made = await visitor.submit(form, 'createDatabase', typed)
    await panel.settle()
    const page = await visitor.follow(made)
    expect(textOf(page.body)).toContain('Host localhost Copy Port 3306 Database alice_shop Copy User alice_app Copy')
    expect(textOf(page.body)).toContain('alice_app all privileges Change privileges')
    expect(page.body).toContain('href="/user/mysql/alice_shop/dumps#import"')
    expect(page.body).not.toContain('a password of its own')
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
    expect(textOf((await visitor.get('/user/files/sites/neu%20%26%20alt')).body)).toContain('This folder is empty.')
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
