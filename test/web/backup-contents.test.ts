import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Json, startPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

async function withBackup() {
  const panel = await startPanel()
  const alice = await panel.account('alice', { password })
  const home = join(panel.dir, 'host/home/alice')
  mkdirSync(join(home, 'sites/shop/css'), { recursive: true })
  writeFileSync(join(home, 'sites/shop/index.html'), 'as it was')
  writeFileSync(join(home, 'sites/shop/css/site.css'), 'a{}')
  mkdirSync(join(home, 'mail/alice.example/info/cur'), { recursive: true })
  writeFileSync(join(home, 'mail/alice.example/info/cur/1'), 'Subject: hello\n')
  const { backup } = (await panel.post(`/accounts/${alice.id}/backups`, {})).body
  await panel.settle()
  const visitor = await new Visitor(panel).signIn('alice')
  return { panel, home, visitor, at: `/user/backups/${backup.id}` }
}

test('a backup is browsed part by part and level by level, without script', async () => {
  const { panel, visitor, at } = await withBackup()
  const backup = await visitor.get(at)
  expect(backup.body).toContain(`href="${at}/files"`)
  const first = await visitor.get(`${at}/files`)
  expect([first.status, first.headers.get('refresh')]).toEqual([409, '2'])
  expect(textOf(first.body)).toContain('One moment')
  expect(textOf(first.body)).toContain('This page opens by itself when it is ready. Try again')
  expect(textOf(first.body)).not.toContain('Another change is in progress The backup')
  await panel.settle()

  const top = await visitor.get(`${at}/files`)
  expect(top.body).toContain(`href="${at}/files/sites"`)
  for (const part of ['mail', 'dns']) expect(top.body).toContain(`href="${at}/${part}"`)
  expect(top.body).not.toContain(`href="${at}/mysql"`)
  const shop = await visitor.get(`${at}/files/sites/shop`)
  expect(textOf(shop.body)).toMatch(/css\/.*index\.html/s)
  expect(shop.body).toContain('value="files:sites/shop/index.html"')
  expect((await visitor.get(`${at}/files/nowhere`)).status).toBe(404)
  expect(textOf((await visitor.get(`${at}/mail/info@alice.example`)).body)).toContain('INBOX')
  expect(textOf((await visitor.get(`${at}/dns`)).body)).toContain('alice.example')
})

test('a restore offers what was saved, and root sees which backup a new account is made from', async () => {
  const { panel, visitor, at } = await withBackup()
  const { items } = (await panel.get('/backups')).body
  const absent = items[0].parts.filter(({ status }: Json) => status !== 'ok').map(({ part }: Json) => part)
  const saved = items[0].parts.filter(({ status }: Json) => status === 'ok').map(({ part }: Json) => part)
  expect(absent).toContain('mysql')
  const offered = ({ body }: { body: string }) =>
    [...body.matchAll(/name="parts" value="([a-z]+)"/g)].map(([, one]) => one)
  const own = await visitor.get(`${at}/restore`)
  expect(own.body).not.toContain('name="databases"')
  expect(offered(own).toSorted()).toEqual(saved.toSorted())
  const status = (body: string) => /<h1[\s\S]*?<\/h1>[\s\S]*?class="chip[^>]*>[\s\S]*?<\/span>/.exec(body)?.[0]
  expect(textOf(status(own.body)!).split(' ').at(-1)).toBe(
    textOf(status((await visitor.get(at)).body)!)
      .split(' ')
      .at(-1),
  )

  await panel.put('/root/password', { new_password: password })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const page = await root.get(`/admin/backups/${items[0].id}`)
  expect(textOf(page.body)).toMatch(/Restore as a new account[\s\S]*Username alice[\s\S]*Parts/)
  expect(offered(page).toSorted()).toEqual(saved.toSorted())
  expect(page.body).toContain(`href="/admin/accounts/alice/backups/${items[0].id}"`)
})

test('what is selected is restored, and nothing else', async () => {
  const { panel, home, visitor, at } = await withBackup()
  await visitor.get(`${at}/files`)
  await panel.settle()
  const [page, style] = [join(home, 'sites/shop/index.html'), join(home, 'sites/shop/css/site.css')]
  writeFileSync(page, 'spoilt')
  writeFileSync(style, 'newer')
  panel.forget()
  const shop = await visitor.get(`${at}/files/sites/shop`)
  const [, csrf_token] = /name="csrf_token" value="([^"]+)"/.exec(shop.body)!
  const chosen = { csrf_token: csrf_token!, do: 'restoreBackup', _item: 'files:sites/shop/index.html' }
  const confirmation = await visitor.post(`${at}/files/sites/shop`, chosen)
  expect(textOf(confirmation.body)).toContain('sites/shop/index.html')
  const done = await visitor.submit(confirmation, 'restoreBackup')
  expect(textOf(done.body)).toContain('The backup is being restored.')
  expect(textOf(done.body)).not.toContain('refused')
  await panel.settle()
  expect([readFileSync(page, 'utf8'), readFileSync(style, 'utf8')]).toEqual(['as it was', 'newer'])
  expect(panel.jobs()).toEqual(['backup.restore succeeded'])
})
