import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { password, policy, textOf, Visitor } from './visitor.ts'

async function alice() {
  const panel = await startPanel()
  const account = await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  return { panel, account, visitor }
}

const hostile = '"><img src=x onerror=alert(1)>'

describe('page of an area without a script', () => {
  test('lists, creates, shows, changes and deletes', async () => {
    const { panel, visitor } = await alice()
    const empty = await visitor.get('/user/cron')
    expect(textOf(empty.body)).toContain('A cron job runs a command at set times, ')
    const form = await visitor.get('/user/cron/new')
    const made = await visitor.submit(form, 'createCronJob', { schedule: '@daily', command: 'php a.php' })
    expect(made.headers.get('location')).toMatch(/^\/user\/cron\/[0-9A-Z]{26}\?done=createCronJob&job=[0-9A-Z]{26}$/)
    const visible = await visitor.follow(made)
    expect(textOf(visible.body)).toContain('Cron job created. ◌ Queued')
    await panel.settle()
    const changed = await visitor.submit(visible, 'updateCronJob', { schedule: '@weekly' })
    await panel.settle()
    expect(textOf((await visitor.follow(changed)).body)).toContain('Cron job changed. ● Succeeded')
    expect(textOf((await visitor.get('/user/cron')).body)).toContain('php a.php Every Sunday at 0:00 Yes')
    const page = made.headers.get('location')!.split('?')[0]!
    const requests = await visitor.get(`${page}?do=deleteCronJob`)
    expect(textOf(requests.body)).toContain('Its runs and their output are deleted too.')
    const deleted = await visitor.submit(requests, 'deleteCronJob')
    expect(deleted.headers.get('location')).toMatch(/^\/user\/cron\?done=deleteCronJob&job=/)
    await panel.settle()
    expect(panel.jobs()).toEqual(['cron.apply succeeded', 'cron.apply succeeded', 'cron.apply succeeded'])
    expect((await visitor.get(page)).status).toBe(404)
  })

  test('shows errors next to the field, and keeps what was typed except secrets', async () => {
    const { visitor } = await alice()
    const form = await visitor.get('/user/ftp/new')
    const refused = await visitor.submit(form, 'createFtpAccount', {
      login: hostile,
      password: 'a canary of a password',
    })
    expect(refused.status).toBe(400)
    expect(refused.body).toContain('value="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"')
    expect(refused.body).toMatch(
      /aria-invalid="true"[^>]*id="createFtpAccount-login"|id="createFtpAccount-login"[^>]*aria-invalid="true"/,
    )
    expect(refused.body).toContain('href="#createFtpAccount-login"')
    expect(refused.body).not.toContain('canary')
    expect(refused.body).not.toContain('<img')
  })

  test('reaches a page by the name of its object, or by its id', async () => {
    const { panel, account, visitor } = await alice()
    const login = 'deploy@alice.example'
    const made = await panel.post(`/accounts/${account.id}/ftp/accounts`, { login, password })
    await panel.settle()
    for (const name of ['deploy%40alice.example', made.body.ftp_account.id])
      expect(textOf((await visitor.get(`/user/ftp/${name}`)).body)).toContain('Where to connect')
    expect((await visitor.get('/user/ftp/nobody%40alice.example')).status).toBe(404)
  })

  test('shows a page of an account in the admin panel under its name, and hides it from other resellers', async () => {
    const { panel } = await alice()
    await panel.put('/root/password', { new_password: password })
    const root = await new Visitor(panel).signIn('root', 'admin')
    expect(textOf((await root.get('/admin/accounts/alice/cron')).body)).toContain(
      'Account alice ● Active Suspend Package Password Sign in',
    )
    const { id } = await panel.account('rita', { password, make_reseller: true })
    await panel.put(`/resellers/${id}/acl`, { acl: ['list-accts', 'create-user-session'] })
    const rita = await new Visitor(panel).signIn('rita', 'admin')
    expect((await rita.get('/admin/accounts/alice/cron')).status).toBe(404)
  })
})

describe('page', () => {
  test('needs a session, and is shown after signing in', async () => {
    const { panel } = await alice()
    const visitor = new Visitor(panel)
    const sent = await visitor.get('/user/cron/new?from=billing')
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      '/user/login?next=%2Fuser%2Fcron%2Fnew%3Ffrom%3Dbilling',
    ])
    const form = await visitor.get(sent.headers.get('location')!)
    expect(form.body).toContain('name="next" value="/user/cron/new?from=billing"')
    const next = '/user/cron/new?from=billing'
    expect((await visitor.post('/user/login', { username: 'alice', password, next })).headers.get('location')).toBe(
      next,
    )
  })

  test.each([
    '//evil.example',
    '/\\evil.example',
    '/user/../admin',
    '/user/%2f%2fevil',
    'javascript:alert(1)',
    '/admin/',
    '/user/login',
    '/user/logout?next=%2Fuser%2Fcron',
  ])('shows home after signing in, and not %s', async (next) => {
    const { panel } = await alice()
    const reply = await new Visitor(panel).post('/user/login', { username: 'alice', password, next })
    expect(reply.headers.get('location')).toBe('/user/')
  })

  test('answers 404 at an address with a malformed part, with a session or without', async () => {
    const { panel, visitor } = await alice()
    for (const browser of [visitor, new Visitor(panel)])
      for (const path of ['/admin/accounts/%zz/', '/admin/accounts/%ff/dns', '/user/%zz', '/user/dns/%c3%28'])
        expect([path, (await browser.get(path)).status]).toEqual([path, 404])
  })

  test('has the headers that keep it private', async () => {
    const { visitor } = await alice()
    const { headers } = await visitor.get('/user/cron')
    expect(
      Object.fromEntries(
        [
          'content-security-policy',
          'x-frame-options',
          'cross-origin-opener-policy',
          'cross-origin-resource-policy',
          'referrer-policy',
          'cache-control',
          'vary',
        ].map((name) => [name, headers.get(name)]),
      ),
    ).toEqual({
      'content-security-policy': policy,
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'cache-control': 'private, no-cache',
      vary: 'Cookie, Accept-Encoding, Accept-Language',
    })
    expect(headers.get('permissions-policy')).toContain('clipboard-write=(self)')
  })

  test('shows when a certificate expires as a time', async () => {
    const { panel, visitor } = await alice()
    await panel.settle()
    const [, path = ''] = /href="(\/user\/ssl\/[0-9A-Z]{26})"/.exec((await visitor.get('/user/ssl')).body) ?? []
    expect((await visitor.get(path)).body).toMatch(/>Valid until<\/dt><dd><time datetime="/)
  })

  test('says what was done only if it was reached from the panel', async () => {
    const { visitor } = await alice()
    const path = '/user/cron?done=deleteCronJob'
    expect(textOf((await visitor.get(path)).body)).not.toContain('Cron job deleted.')
    expect(textOf((await visitor.get(path, { 'Sec-Fetch-Site': 'same-origin' })).body)).toContain('Cron job deleted.')
    const others = await visitor.get('/user/cron?done=terminateAccount', { 'Sec-Fetch-Site': 'same-origin' })
    expect(textOf(others.body)).not.toContain('being terminated')
    expect((await visitor.get('/user/cron?done=constructor', { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200)
  })

  test('offers to restore a backup of its list only if it is complete', async () => {
    const { panel, account, visitor } = await alice()
    await panel.post(`/accounts/${account.id}/backups`, { parts: ['config'] })
    const offers = async () => /\/restore"/.test((await visitor.get('/user/backups')).body)
    await panel.settle()
    expect([await offers(), panel.jobs()]).toEqual([true, ['backup.account succeeded']])
    expect(panel.events()).toEqual(['backup.started', 'job.completed'])
    for (const status of ['running', 'incomplete', 'failed', 'damaged']) {
      await panel.store.change(() => panel.store.sqlite.prepare('UPDATE backups SET status = ?').run(status))
      expect([status, await offers()]).toEqual([status, false])
    }
  })

  test('has a list as a file, in which no cell is a formula', async () => {
    const { panel, account, visitor } = await alice()
    await panel.post(`/accounts/${account.id}/cron/jobs`, { schedule: '@daily', command: '=1+1; echo "a,b"' })
    const { body, headers } = await visitor.get('/user/cron?format=csv')
    expect(headers.get('content-disposition')).toBe(`attachment; filename="cron.csv"; filename*=UTF-8''cron.csv`)
    expect(headers.get('content-security-policy')).toBe('sandbox')
    expect(body).toMatch(
      /^command,schedule,enabled,next_run_at,last_run.outcome\r\n"'=1\+1; echo ""a,b""",'@daily,true,/,
    )
    const certificates = await visitor.get('/user/ssl?format=csv')
    expect(certificates.body).toMatch(
      /^domain,kind,domains,not_after,.*\r\nalice\.example,.*,\d{4}-\d\d-\d\dT[\d:.]*Z,/,
    )
    const zone = await visitor.get('/user/dns/alice.example?format=csv')
    expect(zone.headers.get('content-disposition')).toBe(
      `attachment; filename="dns-alice.example.csv"; filename*=UTF-8''dns-alice.example.csv`,
    )
  })
})

describe('form of a page', () => {
  const job = { do: 'createCronJob', schedule: '@daily', command: 'php a.php' }

  test('accepts a form only from pages of the panel', async () => {
    const { panel, visitor } = await alice()
    const form = await visitor.get('/user/cron/new')
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(form.body)![1]!
    const foreign = ['https://evil.example', 'http://host.example:7711', 'https://host.example', 'null']
    for (const headers of foreign.map((Origin) => ({ Origin })))
      expect((await visitor.post('/user/cron/new', { ...job, csrf_token }, headers)).status).toBe(403)
    const wrong = await visitor.post('/user/cron/new', { ...job, csrf_token: 'wrong' })
    expect([wrong.status, textOf(wrong.body).includes('Check it and save.')]).toEqual([403, true])
    expect(wrong.body).toContain('value="@daily"')
    expect(panel.jobs()).toEqual([])
    expect((await visitor.post('/user/cron/new', { ...job, csrf_token })).status).toBe(303)
  })

  test('gives a form a token that looks different each time', async () => {
    const { visitor } = await alice()
    const tokens = await Promise.all(
      [1, 2].map(async () => /name="csrf_token" value="([^"]+)"/.exec((await visitor.get('/user/cron/new')).body)![1]),
    )
    expect(tokens[0]).not.toBe(tokens[1])
  })

  test('does not find a form of an operation that its page does not have', async () => {
    const { visitor } = await alice()
    expect((await visitor.post('/user/cron/new', { ...job, do: 'deleteFtpAccount' })).status).toBe(404)
  })

  test('posts a form once, however often it is submitted', async () => {
    const { panel, visitor } = await alice()
    const form = await visitor.get('/user/cron/new')
    const filled = { schedule: '@daily', command: 'php a.php' }
    const both = [
      await visitor.submit(form, 'createCronJob', filled),
      await visitor.submit(form, 'createCronJob', filled),
    ]
    expect(both[0]!.headers.get('location')).toBe(both[1]!.headers.get('location'))
    await panel.settle()
    expect(panel.jobs()).toEqual(['cron.apply succeeded'])
  })

  test('shows a form with an expired session again, with what was typed except secrets, and then saves', async () => {
    const { panel, visitor } = await alice()
    const form = await visitor.get('/user/ftp/new')
    const filled = { login: 'deploy@alice.example', password: 'a canary of a password' }
    visitor.forget()
    const ended = await visitor.submit(form, 'createFtpAccount', filled)
    expect(ended.status).toBe(401)
    expect(textOf(ended.body)).toContain('Your session has ended')
    expect(ended.body).toContain('value="deploy@alice.example"')
    expect(ended.body).not.toContain('canary')
    await visitor.signIn('alice')
    const again = await visitor.submit(ended, 'createFtpAccount', { password: filled.password })
    expect([again.status, textOf(again.body).includes('Check it and save.')]).toEqual([403, true])
    const saved = await visitor.submit(again, 'createFtpAccount', { password: filled.password })
    expect(saved.status).toBe(303)
    await panel.settle()
    expect(panel.jobs()).toEqual(['ftp.account.create succeeded'])
  })
})

test('files of the screens are named by their content and cached for a year', async () => {
  const { visitor } = await alice()
  const page = await visitor.get('/user/')
  const files = [...page.body.matchAll(/(?:href|src)="(\/assets\/[^"#]+)/g)].map(([, path]) => path!)
  expect(files.length).toBeGreaterThan(1)
  for (const path of files) {
    const { status, headers } = await visitor.get(path)
    expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable'])
    expect(path).toMatch(/-[0-9a-zA-Z]{8,}\.(css|svg|js)$/)
  }
  expect((await visitor.get('/assets/panel-0000000000.css')).status).toBe(404)
})

test('no page turns text into HTML itself', () => {
  const files = ['src/web', 'src/areas'].flatMap((folder) =>
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((file) => file.endsWith('.tsx'))
      .map((file) => join(folder, file)),
  )
  const found = (pattern: RegExp) => files.filter((file) => pattern.test(readFileSync(file, 'utf8')))
  expect(found(/dangerouslySetInnerHTML/)).toEqual([])
  // The reference, as it was rendered before.
  expect(found(/hono\/html/)).toEqual(['src/web/routes.tsx'])
})
