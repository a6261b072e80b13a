import { describe, expect, test } from 'vitest'
import { hour, pass } from '../alerts/helpers.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { mailOf } from '../outgoing-mail.ts'
import { resellerToken } from '../world.ts'

const all = ['welcome', 'quota', 'certificate-failed', 'backup-failed', 'suspended', 'unsuspended', 'digest']
const subjects = async (panel: TestPanel, expected: number) =>
  (await mailOf(panel, expected)).map(({ headers }) => headers['subject'])

async function sending(kinds: readonly string[] = all): Promise<TestPanel> {
  const panel = await startPanel()
  expect((await panel.patch('/settings', { customer_emails: kinds })).status).toBe(200)
  panel.forget()
  return panel
}

const alice = { contact_email: 'alice@elsewhere.example' }

describe('mail to customers', () => {
  test('is off by default, and needs a contact address', async () => {
    const quiet = await startPanel()
    const { id } = await quiet.account('alice', alice)
    await quiet.post(`/accounts/${id}/suspend`, {})
    await quiet.settle()
    expect(await mailOf(quiet, 0)).toEqual([])
    const panel = await sending()
    const bob = await panel.account('bob', { contact_email: 'bob@elsewhere.example' })
    await panel.patch(`/accounts/${bob.id}`, { contact_email: '' })
    await panel.post(`/accounts/${bob.id}/suspend`, {})
    await panel.settle()
    expect(await subjects(panel, 1)).toEqual(['Welcome to host.example: your account bob'])
  })

  test('welcomes once, after the account is on its host, with connection data and without a password', async () => {
    const panel = await sending(['welcome'])
    const { id } = await panel.account('alice', { ...alice, password: 'a-long-secret-4711' })
    const [mail] = await mailOf(panel, 1)
    expect([mail!.headers['to'], mail!.headers['auto-submitted'], mail!.headers['list-unsubscribe']]).toEqual([
      'alice@elsewhere.example',
      'auto-generated',
      undefined,
    ])
    for (const part of ['alice.example', 'host.example, port 993', 'port 465', 'FTP: host.example, port 21', 'port 22'])
      expect(mail!.text).toContain(part)
    expect(mail!.text + mail!.html).not.toContain('4711')
    expect(mail!.text).not.toContain('{{')
    await panel.post(`/accounts/${id}/reapply`, {})
    await panel.settle()
    await panel.restart()
    expect(await mailOf(panel, 1)).toHaveLength(1)
  })

  test('does not welcome an account that was there before', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice', alice)
    await panel.patch('/settings', { customer_emails: ['welcome'] })
    await panel.post(`/accounts/${id}/reapply`, {})
    await panel.settle()
    expect(await mailOf(panel, 0)).toEqual([])
  })

  test('is sent because of the package alone', async () => {
    const panel = await startPanel()
    const plan = (await panel.post('/packages', { name: 'small', letters: ['suspended'] })).body
    expect(plan.letters).toEqual(['suspended'])
    const { id } = await panel.account('alice', { ...alice, package_id: plan.id })
    await panel.post(`/accounts/${id}/suspend`, { reason: 'unpaid' })
    await panel.settle()
    expect(await subjects(panel, 1)).toEqual(['Your account alice is suspended'])
  })

  test('is in the language of the account, else in English', async () => {
    const panel = await sending(['suspended', 'unsuspended'])
    const de = await panel.account('anna', { contact_email: 'anna@elsewhere.example', locale: 'de' })
    const fr = await panel.account('fred', { contact_email: 'fred@elsewhere.example', locale: 'fr' })
    for (const { id } of [de, fr]) {
      await panel.post(`/accounts/${id}/suspend`, { reason: 'see https://evil.example <b>now</b>\u202e' })
      await panel.post(`/accounts/${id}/unsuspend`, {})
    }
    await panel.settle()
    const mail = await mailOf(panel, 4)
    expect(mail.map(({ headers }) => headers['subject'])).toEqual([
      'Ihr Konto anna ist gesperrt',
      'Ihr Konto anna ist wieder aktiv',
      'Your account fred is suspended',
      'Your account fred is active again',
    ])
    expect(mail[0]!.text).toContain('Grund: see evil.example ‹b›now‹/b›')
    expect(mail[0]!.html).not.toContain('evil.example"')
  })

  test('reports space at 80, 95 and 100 percent, each step once a day', async () => {
    const panel = await sending(['quota'])
    const { id } = await panel.account('alice', { ...alice })
    await panel.patch(`/accounts/${id}`, { disk_quota_mb: 1000 })
    await panel.settle()
    for (const used of [790, 800, 949, 950, 940, 951, 1000, 1001]) {
      const { sqlite } = panel.store
      const now = panel.clock.now()
      await panel.store.change(
        () => void sqlite.prepare('UPDATE accounts SET disk_used_mb = ?, measured_at = ?').run(used, now),
      )
      await pass(panel, 2)
    }
    expect(await subjects(panel, 3)).toEqual([
      'alice uses 80 % of its space',
      'alice uses 95 % of its space',
      'alice uses 100 % of its space',
    ])
  })

  test('reports last month once, to those who did not switch it off', async () => {
    const panel = await sending(['digest'])
    await panel.account('alice', alice)
    const bob = await panel.account('bob', { contact_email: 'bob@elsewhere.example' })
    const path = `/accounts/${bob.id}/notification-preferences`
    expect((await panel.put(path, { off: ['digest'] })).body).toEqual({ off: ['digest'] })
    panel.clock.jump(Date.UTC(2026, 1, 1, 5) - panel.clock.now())
    await panel.clock.advance(2 * hour)
    const [mail] = await mailOf(panel, 1)
    expect([mail!.headers['to'], mail!.headers['subject']]).toEqual([
      'alice@elsewhere.example',
      'alice.example in 2026-01',
    ])
    expect(mail!.headers['list-unsubscribe']).toMatch(/^<https:\/\/.+\/user\/notification-preferences>$/)
    await panel.clock.advance(2 * hour)
    await panel.restart()
    await panel.clock.advance(2 * hour)
    expect(await mailOf(panel, 1)).toHaveLength(1)
  })

  test('lets an account switch off all but what it must know', async () => {
    const panel = await sending(['unsuspended'])
    const { id } = await panel.account('alice', alice)
    const path = `/accounts/${id}/notification-preferences`
    const refused = await panel.put(path, { off: ['suspended'] })
    expect([refused.code, refused.body.fields]).toEqual(['validation', { off: expect.stringContaining('suspended') }])
    expect((await panel.get(path)).body).toEqual({ off: [] })
    await panel.put(path, { off: ['unsuspended', 'unsuspended'] })
    expect((await panel.get(path)).body).toEqual({ off: ['unsuspended'] })
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    await panel.post(`/accounts/${id}/suspend`, {})
    await panel.post(`/accounts/${id}/unsuspend`, {})
    await panel.settle()
    expect(await mailOf(panel, 0)).toEqual([])
  })
})

describe('templates', () => {
  const text = { subject: 'Hello {{username}}', body: 'At {{server}}:\n\n{{panel_url}}\n' }

  test("root's own is used before the built-in one, until it is deleted", async () => {
    const panel = await sending(['suspended'])
    const path = '/email-templates/suspended/en'
    const set = await panel.put(path, text)
    expect([set.status, set.body]).toMatchObject([200, { kind: 'suspended', locale: 'en', source: 'own', ...text }])
    const { id } = await panel.account('alice', alice)
    await panel.post(`/accounts/${id}/suspend`, {})
    await panel.settle()
    const [mail] = await mailOf(panel, 1)
    expect([mail!.headers['subject'], mail!.text]).toEqual([
      'Hello alice',
      expect.stringMatching(/^At host\.example:\n\nhttps:\/\/\S+\/user\n+$/),
    ])
    panel.forget()
    expect((await panel.delete(path)).status).toBe(204)
    expect((await panel.delete(path)).code).toBe('not-found')
    const listed = (await panel.get('/email-templates')).body.items
    expect(listed).toHaveLength(14)
    expect(new Set(listed.map(({ source }: { source: string }) => source))).toEqual(new Set(['built-in']))
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test("a reseller's own is for its accounts alone, and nothing else of others is reached", async () => {
    const panel = await sending(['suspended'])
    const rita = await panel.account('rita', { make_reseller: true })
    const token = await resellerToken(panel, rita.id, ['list-accts'])
    const path = '/email-templates/suspended/en'
    await panel.put(path, { ...text, subject: 'Of root' })
    expect((await panel.get('/email-templates', { token })).body.items).toContainEqual(
      expect.objectContaining({ kind: 'suspended', locale: 'en', source: 'root', subject: 'Of root' }),
    )
    expect((await panel.delete(path, { token })).code).toBe('not-found')
    await panel.put(path, { ...text, subject: 'Of rita' }, { token })
    const carol = await panel.account('carol', { owner_id: rita.id, contact_email: 'carol@elsewhere.example' })
    const { id } = await panel.account('alice', alice)
    for (const one of [carol.id, id]) await panel.post(`/accounts/${one}/suspend`, {})
    await panel.settle()
    expect(await subjects(panel, 2)).toEqual(['Of rita', 'Of root'])
    expect((await panel.get(`/accounts/${id}/notification-preferences`, { token })).code).toBe('not-found')
  })

  test('a preview fills in sample data and changes nothing', async () => {
    const panel = await startPanel()
    const preview = await panel.post('/email-templates/welcome/de/preview', { body: '<b>{{username}}</b>' })
    expect([preview.status, preview.body]).toMatchObject([
      200,
      {
        subject: 'Willkommen bei Example Hosting: Ihr Konto alice',
        text: '<b>alice</b>',
        html: expect.stringContaining('&lt;b&gt;alice&lt;/b&gt;'),
      },
    ])
    for (const kind of all)
      for (const locale of ['en', 'de'])
        expect((await panel.post(`/email-templates/${kind}/${locale}/preview`, {})).body.text).not.toMatch(/[{}]/)
  })

  test.each([
    ['an unknown placeholder', { ...text, body: '{{password}}' }, 'body'],
    ['one of another kind', { ...text, body: '{{percent}}' }, 'body'],
    ['one in the subject', { ...text, subject: '{{constructor}}' }, 'subject'],
    ['half of one', { ...text, body: '{{username}' }, 'body'],
    ['one inside another', { ...text, body: '{{ {{username}} }}' }, 'body'],
    ['a link', { ...text, body: 'Go to https://evil.example/' }, 'body'],
    ['a newline in the subject', { ...text, subject: 'a\nBcc: x@y.example' }, 'subject'],
    ['NUL', { ...text, body: 'a\0b' }, 'body'],
    ['a long body', { ...text, body: 'x'.repeat(8001) }, 'body'],
    ['a long subject', { ...text, subject: 'x'.repeat(201) }, 'subject'],
  ])('refuses %s', async (_, body, field) => {
    const panel = await startPanel()
    for (const [method, end] of [
      ['put', ''],
      ['post', '/preview'],
    ] as const) {
      const refused = await panel[method](`/email-templates/welcome/en${end}`, body)
      expect([refused.code, Object.keys(refused.body.fields)]).toEqual(['validation', [field]])
    }
    expect((await panel.get('/email-templates')).body.items[0].source).toBe('built-in')
  })

  test('a path of an unknown kind or language is not found', async () => {
    const panel = await startPanel()
    for (const path of ['nonsense/en', 'welcome/xx', 'welcome/EN', 'constructor/en'])
      expect((await panel.put(`/email-templates/${path}`, text)).code).toBe('not-found')
  })
})
