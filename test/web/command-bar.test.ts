import { describe, expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

async function signedIn(name: 'alice' | 'root') {
  const panel = await startPanel()
  const account = await panel.account('alice', { password })
  if (name === 'root') await panel.put('/root/password', { new_password: password })
  const visitor = await new Visitor(panel).signIn(name, name === 'root' ? 'admin' : 'user')
  return { panel, account, visitor }
}

const asFile = (name: string): string => `attachment; filename="${name}"; filename*=UTF-8''${name}`

/** The line at the bottom of a page, and the scope it needs. */
function barOf(body: string): { line: string; needs: string } {
  const [, line = ''] = /id="say-line"[^>]*>([\s\S]*?)<\/bdi>/.exec(body) ?? []
  const [, needs = ''] = /class="needs">([\s\S]*?)<\/span>/.exec(body) ?? []
  return { line: textOf(line), needs: textOf(needs) }
}

describe('command that a page shows', () => {
  test('shows the command for a list with its filters, on both panels', async () => {
    const user = await signedIn('alice')
    expect(barOf((await user.visitor.get('/user/cron')).body)).toEqual({
      line: 'panel cron list',
      needs: 'token area: cron, read',
    })
    const { visitor } = await signedIn('root')
    expect(barOf((await visitor.get('/admin/accounts/alice/ftp?page=2&q=a+b')).body).line).toBe(
      "panel ftp list -a alice --page 2 --search 'a b'",
    )
  })

  test('shows the command for the query parameters, by their name in its address', async () => {
    const { visitor } = await signedIn('alice')
    const { line } = barOf((await visitor.get('/user/logs/alice.example?kind=error')).body)
    expect(line).toBe('panel logs tail alice.example --kind error --follow')
  })

  test('shows the command for a form: with what is still to be typed, what was typed, and never a secret', async () => {
    const { visitor } = await signedIn('alice')
    const page = await visitor.get('/user/ftp/new')
    expect(barOf(page.body)).toEqual({
      line: 'panel ftp create LOGIN --password-stdin',
      needs: 'token area: files, write',
    })
    const typed = { login: 'not a login', password: 'a canary of a password' }
    const refused = await visitor.submit(page, 'createFtpAccount', typed)
    expect(barOf(refused.body).line).toBe("panel ftp create 'not a login' --password-stdin")
    expect(refused.body).not.toContain('canary')
  })

  test('shows the command for a form that is being filled in only in the bar', async () => {
    const { visitor } = await signedIn('alice')
    const typed = new URLSearchParams({ do: 'createCronJob', schedule: '@daily', command: "echo 'a'\n", mail: 'false' })
    const part = await visitor.get(`/user/cron/new?${typed}`, { 'X-Part': 'say' })
    expect(part.body).toMatch(/^<aside class="say"/)
    expect(barOf(part.body).line).toBe('panel cron create --schedule @daily --no-mail --data @changes.json')
    const [, href = ''] = /href="([^"]*say=data[^"]*)"/.exec(part.body) ?? []
    const file = await visitor.get(href.replaceAll('&amp;', '&'))
    expect(file.headers.get('content-disposition')).toBe(asFile('changes.json'))
    expect(JSON.parse(file.body)).toEqual({ command: "echo 'a'\n" })
  })

  test.each([
    [
      'nothing typed: what has to be chosen is, and what has to be typed is in capitals',
      '/user/dns/alice.example/new',
      'dns add-record alice.example NAME A VALUE',
    ],
    ['a domain that is chosen already', '/user/ssl/issue', 'ssl issue alice.example'],
    [
      'another field first',
      '/user/email/new?do=createMailbox&address=&quota_mb=5',
      'email create ADDRESS --quota-mb 5 --password-stdin',
    ],
    [
      'a list that has to have an item',
      '/user/email/forwarders/new?do=createForwarder&address=a%40b.example&destinations=',
      'email forwarders create a@b.example DESTINATIONS',
    ],
  ])('shows the command for a form with %s', async (_, path, line) => {
    const { visitor } = await signedIn('alice')
    const headers = path.includes('?') ? { 'X-Part': 'say' } : {}
    expect(barOf((await visitor.get(path, headers)).body).line).toBe(`panel ${line}`)
  })

  test('shows the command for a form that was sent empty, and one whose list may be empty', async () => {
    const { visitor } = await signedIn('root')
    expect(barOf((await visitor.get('/admin/acls/new')).body).line).toBe('panel acls create NAME --acl ACL')
    const refused = await visitor.submit(await visitor.get('/admin/accounts/alice/cron/new'), 'createCronJob')
    expect([refused.status, barOf(refused.body).line]).toEqual([
      400,
      'panel cron create -a alice --schedule SCHEDULE --command COMMAND',
    ])
    const part = await visitor.get('/admin/acls/new?do=createAcl&name=none&acl=', { 'X-Part': 'say' })
    expect(barOf(part.body).line).toBe('panel acls create none --data @changes.json')
  })

  test('shows what was typed, except secrets, in the file and the alternative for a refused form', async () => {
    const { visitor } = await signedIn('alice')
    const typed = { address: 'no address', password: 'a canary of a password' }
    const refused = await visitor.submit(await visitor.get('/user/email/new'), 'createMailbox', typed)
    const [, other = ''] = /href="([^"]*say=curl[^"]*)"/.exec(refused.body) ?? []
    expect(other).not.toContain('canary')
    const again = await visitor.get(other.replaceAll('&amp;', '&'))
    expect([again.status, formIn(again.body, 'createMailbox').fields.get('address')]).toEqual([200, 'no address'])
    expect(barOf(again.body).line).toMatch(/^curl .*"address":"no address"/)
    const page = await visitor.get('/user/dns/alice.example/new')
    const bad = await visitor.submit(page, 'createDnsRecord', { name: '@', type: 'A', value: 'two\nlines' })
    expect(bad.status).toBe(400)
    const [, href = ''] = /href="([^"]*say=data[^"]*)"/.exec(bad.body) ?? []
    const file = await visitor.get(href.replaceAll('&amp;', '&'))
    expect(JSON.parse(file.body)).toEqual({ value: 'two\nlines' })
  })

  test('repeats a secret in no link', async () => {
    const { visitor } = await signedIn('alice')
    for (const path of ['', 'do=createMailbox&'])
      expect((await visitor.get(`/user/email/new?${path}password=canary&address=a`)).body).not.toContain('canary')
  })

  test('shows the command with curl, with ids and a token from the environment', async () => {
    const { account, visitor } = await signedIn('alice')
    expect(barOf((await visitor.get('/user/cron?say=curl')).body).line).toBe(
      `curl -H "Authorization: Bearer $PANEL_TOKEN" 'https://host.example:7711/api/v1/accounts/${account.id}/cron/jobs'`,
    )
  })
})

describe('bar after a change', () => {
  test('shows what was run in the bar, without secrets, and with curl', async () => {
    const { account, visitor } = await signedIn('alice')
    const typed = { login: 'deploy@alice.example', password: 'a canary of a password' }
    const made = await visitor.submit(await visitor.get('/user/ftp/new'), 'createFtpAccount', typed)
    const page = await visitor.follow(made)
    expect(barOf(page.body)).toEqual({
      line: 'panel ftp create deploy@alice.example --password-stdin',
      needs: 'token area: files, write',
    })
    const [, other = ''] = /href="([^"]*say=curl[^"]*)"/.exec(page.body) ?? []
    const again = await visitor.get(other.replaceAll('&amp;', '&'), { 'Sec-Fetch-Site': 'same-origin' })
    expect(barOf(again.body).line).toMatch(
      new RegExp(`^curl -X POST .*"login":"deploy@alice.example".*/accounts/${account.id}/ftp/accounts'$`),
    )
    expect(page.body + again.body + other).not.toContain('canary')
  })

  test('downloads the file of a command later, but not from another session', async () => {
    const { visitor } = await signedIn('alice')
    const command = `echo ${'long '.repeat(50)}end`
    const typed = { schedule: '@daily', command }
    const made = await visitor.submit(await visitor.get('/user/cron/new'), 'createCronJob', typed)
    const path = made.headers.get('location')!
    const page = await visitor.follow(made)
    const [, file = ''] = /href="([^"]*say=data[^"]*)"/.exec(page.body) ?? []
    expect(JSON.parse((await visitor.get(file.replaceAll('&amp;', '&'))).body)).toEqual({ command })
    visitor.forget()
    await visitor.signIn('alice')
    expect(barOf((await visitor.get(path, { 'Sec-Fetch-Site': 'same-origin' })).body).line).toMatch(/^panel cron show/)
  })

  test('names all of many rows', async () => {
    const { visitor } = await signedIn('root')
    const [csrf_token] = /(?<=name="csrf_token" value=")[^"]+/.exec((await visitor.get('/admin/accounts')).body)!
    const [id] = /(?<=name="_item" value=")[^"]+/.exec((await visitor.get('/admin/accounts')).body)!
    const requests = await visitor.post(
      '/admin/accounts',
      new URLSearchParams([
        ['csrf_token', csrf_token],
        ['do', 'suspendAccount'],
        ['_item', id],
        ['_item', absent],
      ]),
    )
    expect(barOf(requests.body).line).toBe(`panel accounts suspend alice ${absent}`)
    expect(requests.body).not.toContain('say=curl')
  })
})

test('names all of many deleted files, and none if the name of one is not valid text', async () => {
  const { panel, visitor } = await signedIn('alice')
  await panel.settle()
  const chosen = async (...paths: (string | Buffer)[]) => {
    const { fields } = formIn((await visitor.get('/user/files')).body, 'deleteFile')
    fields.set('do', 'deleteFile')
    for (const path of paths) fields.append('_item', Buffer.from(path).toString('base64url'))
    return barOf((await visitor.post('/user/files', fields)).body).line
  }
  expect(await chosen('tmp/one', 'tmp/the other')).toBe("panel files delete tmp/one 'tmp/the other'")
  expect(await chosen(Buffer.from([0xfc]), 'tmp/one')).toBe('panel files delete --path-bytes _A')
})

const absent = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

test('the scopes of a command link to a token with them and 90 days', async () => {
  const { visitor } = await signedIn('alice')
  const [, href = ''] = /class="needs"><a href="([^"]+)"/.exec((await visitor.get('/user/dns')).body) ?? []
  const form = formIn((await visitor.get(href.replaceAll('&amp;', '&'))).body, 'createTokenForAccount').fields
  const chosen = form.getAll('scopes').filter((scope) => scope !== '')
  expect([chosen, form.get('expires_in')]).toEqual([['dns:read'], '90d'])
  expect((await visitor.get('/user/cron/new')).body).toContain('scopes=cron%3Awrite')
})

test('what does not fit in an address is posted for its file by the form', async () => {
  const { visitor } = await signedIn('alice')
  const zone_file = `${'; a comment\n'.repeat(1_000)}@ A no address\n`
  const typed = { zone_file, mode: 'merge' }
  const refused = await visitor.submit(await visitor.get('/user/dns/alice.example/text'), 'importDnsZone', typed)
  expect(refused.body).toContain('form="form-importDnsZone" formaction="?say=data"')
  const { fields } = formIn(refused.body, 'importDnsZone')
  const file = await visitor.post('/user/dns/alice.example/text?say=data', fields)
  expect([file.status, file.headers.get('content-disposition')]).toEqual([200, asFile('changes.json')])
  expect(JSON.parse(file.body).zone_file).toBe(zone_file)
})

test('says what belongs to the session, and shows no command for it', async () => {
  const { visitor } = await signedIn('alice')
  const { body } = await visitor.get('/user/me')
  expect(textOf(body)).toContain('This affects your session only; there is no command for it.')
  expect(body).not.toContain('curl')
  const root = await signedIn('root')
  expect(barOf((await root.visitor.get('/admin/')).body).line).toBe('panel notices list')
})

test("a curl line uses the server's own name, whatever name a request used", async () => {
  const { visitor } = await signedIn('alice')
  const { body } = await visitor.get('/user/cron?say=curl', { Host: 'evil.example' })
  expect(barOf(body).line).toContain("'https://host.example:7711/api/v1/")
  expect(body).not.toContain('evil')
})

test('a part that a page does not have is not found', async () => {
  const { visitor } = await signedIn('alice')
  expect((await visitor.get('/user/cron', { 'X-Part': 'nothing' })).status).toBe(404)
})
