import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appsIn } from '../apps/fixtures.ts'
import { startPanel } from '../harness.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

const doneIn = (body: string): string => /id="done"[\s\S]*?<\/div>/.exec(body)?.[0] ?? ''

/** Presses Undo on the line that says what was done, and follows the redirect. */
async function undo(visitor: Visitor, body: string, op: string): Promise<string> {
  const { action, fields } = formIn(doneIn(body), op)
  return textOf((await visitor.follow(await visitor.post(action, fields))).body)
}

async function withAlice() {
  const panel = await startPanel({ trustTenants: true })
  const { id } = await panel.account('alice', { password })
  const alice = await new Visitor(panel).signIn('alice')
  return { panel, id: id as string, alice }
}

test('a suspension is undone with one press, and no longer offered afterwards', async () => {
  const { panel } = await withAlice()
  await panel.put('/root/password', { new_password: password })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const page = await root.get('/admin/accounts/alice/settings')
  const done = await root.submit(page, 'suspendAccount', { reason: 'unpaid' })
  await panel.settle()
  expect(await undo(root, (await root.follow(done)).body, 'unsuspendAccount')).toContain('Unsuspended.')
  await panel.settle()
  expect(doneIn((await root.follow(done)).body)).not.toContain('Undo')
  expect([panel.events(), panel.jobs()]).toEqual([
    ['account.suspended', 'job.completed', 'account.unsuspended', 'job.completed'],
    ['account.suspend succeeded', 'account.unsuspend succeeded'],
  ])
})

test('a file goes to the trash and back, and links from elsewhere offer nothing', async () => {
  const { panel, alice } = await withAlice()
  writeFileSync(join(panel.dir, 'host/home/alice/note.txt'), 'text')
  const done = await alice.submit(await alice.get('/user/file/note.txt'), 'deleteFile')
  const trash = await alice.follow(done)
  expect(textOf(trash.body)).toContain('In the trash. Undo')
  expect((await alice.get(done.headers.get('location')!)).body).not.toContain('Undo')
  expect(await undo(alice, trash.body, 'restoreTrashItem')).toContain('Restored. note.txt')
})

test('several files deleted at once are restored with one press, except those that were refused', async () => {
  const { panel, alice } = await withAlice()
  const home = join(panel.dir, 'host/home/alice')
  for (const name of ['one', 'two', 'three']) writeFileSync(join(home, 'tmp', name), name)
  const page = await alice.get('/user/files/tmp')
  const chosen = ['one', 'two', 'gone'].map((name) => ['_item', Buffer.from(`tmp/${name}`).toString('base64url')])
  const { fields } = formIn(page.body, 'deleteFile')
  const form = new URLSearchParams([...fields, ...chosen] as [string, string][])
  for (const [name, value] of [
    ['do', 'deleteFile'],
    ['_yes', '1'],
  ] as const)
    form.set(name, value)
  const done = await alice.post('/user/files/tmp', form)
  expect(textOf(done.body)).toContain('2 done, 1 refused')
  expect(readdirSync(join(home, 'tmp'))).toEqual(['three'])
  const back = formIn(done.body, 'restoreTrashItem')
  expect(back.action).toBe('/user/trash')
  const restored = await alice.post(back.action, back.fields)
  expect(textOf(restored.body)).toMatch(/2 done, 0 refused.*tmp\/one ● Done.*tmp\/two ● Done/)
  expect(readdirSync(join(home, 'tmp')).toSorted()).toEqual(['one', 'three', 'two'])
  const { items } = (await panel.get(`/accounts/${(await panel.get('/accounts')).body.items[0].id}/trash`)).body
  expect([items, panel.events(), panel.jobs()]).toEqual([[], [], []])
})

test('accounts suspended together are unsuspended with one press', async () => {
  const { panel, id } = await withAlice()
  const bob = await panel.account('bob', { password })
  await panel.put('/root/password', { new_password: password })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const { fields } = formIn((await root.get('/admin/accounts')).body, 'suspendAccount')
  const form = new URLSearchParams([...fields, ...[id, bob.id].map((one) => ['_item', one])] as [string, string][])
  for (const [name, value] of [
    ['do', 'suspendAccount'],
    ['_yes', '1'],
  ] as const)
    form.set(name, value)
  const done = await root.post('/admin/accounts', form)
  await panel.settle()
  const back = formIn(done.body, 'unsuspendAccount')
  expect(textOf((await root.post(back.action, back.fields)).body)).toContain('2 done, 0 refused')
  await panel.settle()
  const { items } = (await panel.get('/accounts')).body
  expect(items.map(({ status }: { status: string }) => status)).toEqual(['active', 'active'])
})

test('a deleted redirect is restored as it was; its confirmation describes it and does not call it final', async () => {
  const { panel, id, alice } = await withAlice()
  const [domain] = (await panel.get(`/accounts/${id}/domains`)).body.items
  const own = { path: '/', target: 'https://x.example/', match: 'prefix', status: 308, keep_path: true }
  expect((await panel.post(`/accounts/${id}/domains/${domain.id}/redirects`, own)).status).toBe(202)
  await panel.settle()
  const list = await alice.get('/user/domains/alice.example/redirects')
  const [, asks] = /href="([^"]*do=deleteRedirect[^"]*)"/.exec(list.body)!
  const requests = await alice.get(asks!.replaceAll('&amp;', '&'))
  expect(textOf(requests.body)).toContain('Delete the redirect / Visitors')
  const done = await alice.follow(await alice.submit(requests, 'deleteRedirect'))
  await panel.settle()
  expect(await undo(alice, done.body, 'createRedirect')).toContain('Redirect created.')
  const { items } = (await panel.get(`/accounts/${id}/domains/${domain.id}/redirects`)).body
  expect(items).toMatchObject([own])
})

test('an app that was rolled back can go forward again', async () => {
  const { panel, id, alice } = await withAlice()
  const { app, live } = appsIn(panel, id)
  const site = await app('site', 'static')
  for (const text of ['one', 'two']) await live(site.id, { 'index.html': text })
  const done = await alice.follow(await alice.submit(await alice.get('/user/apps/site'), 'rollbackApp'))
  await panel.settle()
  expect(await undo(alice, done.body, 'rollbackApp')).toContain('The app goes back.')
  await panel.settle()
  const { items } = (await panel.get(`/accounts/${id}/apps/${site.id}/releases`)).body
  expect(items.find(({ status }: { status: string }) => status === 'live').number).toBe(2)
})

test('a change whose job failed is retried from the line that reports it', async () => {
  const { panel, alice } = await withAlice()
  const form = await alice.get('/user/cron/new')
  const made = await alice.submit(form, 'createCronJob', { schedule: '@daily', command: 'true' })
  await panel.settle()
  const { sqlite } = panel.store
  await panel.store.change(() => sqlite.prepare("UPDATE jobs SET status = 'failed', error = 'The host is away.'").run())
  const line = doneIn((await alice.follow(made)).body)
  expect(textOf(line)).toMatch(/■ Failed The host is away\. Details Try again/)
  const { action, fields } = formIn(line, 'retryJobForAccount')
  expect(textOf((await alice.follow(await alice.post(action, fields))).body)).toContain('Job queued again.')
  await panel.settle()
  expect(doneIn((await alice.follow(made)).body)).not.toContain('Try again')
  expect([panel.events(), panel.jobs()]).toEqual([['job.completed', 'job.completed'], ['cron.apply succeeded']])
})
