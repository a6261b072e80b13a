import { describe, expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

async function signedIn(name: 'alice' | 'root') {
  const panel = await startPanel()
  const account = await panel.account('alice', { password })
  if (name === 'root') await panel.put('/root/password', { new_password: password })
  const visitor = await new Visitor(panel).signIn(name, name === 'root' ? 'admin' : 'user')
  return { account, visitor }
}

/** The line at the foot of a page, and what it needs. */
function barOf(body: string): { line: string; needs: string } {
  const [, line = ''] = /id="say-line"[^>]*>([\s\S]*?)<\/bdi>/.exec(body) ?? []
  const [, needs = ''] = /class="needs">([\s\S]*?)<\/span>/.exec(body) ?? []
  return { line: textOf(line), needs: textOf(needs) }
}

describe('each page says how to do the same by command', () => {
  test('a list with its filters, on both panels', async () => {
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

  test('a form: with what is still to be typed, what was typed, and never a secret', async () => {
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

  test('a form while it is filled in, by the bar alone', async () => {
    const { visitor } = await signedIn('alice')
    const typed = new URLSearchParams({ do: 'createCronJob', schedule: '@daily', command: "echo 'a'\n", mail: 'false' })
    const part = await visitor.get(`/user/cron/new?${typed}`, { 'X-Part': 'say' })
    expect(part.body).toMatch(/^<aside class="say"/)
    expect(barOf(part.body).line).toBe('panel cron create --schedule @daily --no-mail --data @changes.json')
    const [, href = ''] = /href="([^"]*say=data[^"]*)"/.exec(part.body) ?? []
    const file = await visitor.get(href.replaceAll('&amp;', '&'))
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="changes.json"')
    expect(JSON.parse(file.body)).toEqual({ command: "echo 'a'\n" })
  })

  test('a form that was refused: its file and the other way to say it hold what was typed, but no secret', async () => {
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

  test('no link repeats a secret that stands in the address', async () => {
    const { visitor } = await signedIn('alice')
    for (const way of ['', 'do=createMailbox&'])
      expect((await visitor.get(`/user/email/new?${way}password=canary&address=a`)).body).not.toContain('canary')
  })

  test('by curl, with ids and a token of the environment', async () => {
    const { account, visitor } = await signedIn('alice')
    expect(barOf((await visitor.get('/user/cron?say=curl')).body).line).toBe(
      `curl -H "Authorization: Bearer $PANEL_TOKEN" 'https://host.example:7711/api/v1/accounts/${account.id}/cron/jobs'`,
    )
  })
})

test('a part of a page that it does not have is not found', async () => {
  const { visitor } = await signedIn('alice')
  expect((await visitor.get('/user/cron', { 'X-Part': 'nothing' })).status).toBe(404)
})
