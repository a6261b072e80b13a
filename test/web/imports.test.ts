import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { below, cpmove, filesOf, gzipped } from '../imports/archives.ts'
import { panelWith } from '../imports/panel.ts'
import { password, textOf, Visitor } from './visitor.ts'

const blocked = gzipped(below('cpmove-root', filesOf({ 'cp/root': 'DNS=root.example\nUSER=root\n' })))

test('an account is imported by pages: read, options, run, activate, remove', async () => {
  const { panel, path } = await panelWith({ 'alice.tar.gz': cpmove(), 'root.tar.gz': blocked })
  await panel.put('/root/password', { new_password: password })
  const who = await new Visitor(panel).signIn('root', 'admin')
  const form = await who.get('/admin/imports/new')
  const wrong = await who.submit(form, 'createImport', { path: '/etc/passwd' })
  expect([wrong.status, wrong.body.includes('must be below')]).toEqual([400, true])
  const begun = await who.submit(form, 'createImport', { path: path('root.tar.gz') })
  const at = begun.headers.get('location')!.split('?')[0]!
  expect(at).toMatch(/^\/admin\/imports\/[0-9A-Z]{26}$/)
  const early = (await who.get(at)).body
  // A script fetches the page's content once the archive is read.
  expect(early).toContain('data-stale')
  expect(early).not.toMatch(/id="(report|checklist)"|Report to show/)
  await panel.settle()
  const page = await who.get(at)
  expect(page.body).toContain('the username is reserved; choose another')
  expect(page.body).toContain('<a href="#updateImport-as">Username below</a>')
  expect(textOf(page.body)).not.toContain('--as')
  expect(textOf(page.body)).toContain('One per line. For example: old.example=new.example , unused.example=')
  expect((await who.submit(page, 'runImport')).status).toBe(409)
  expect((await who.submit(page, 'updateImport', { as: 'rooty' })).status).toBe(303)
  const ready = await who.get(at)
  expect(ready.body).toContain('Nothing has been made yet.')
  expect((await who.submit(ready, 'runImport')).status).toBe(303)
  await panel.settle()
  const imported = await who.get(at)
  expect(imported.body).toContain('nothing leaves it until you activate it')
  expect(imported.body).toContain('do=activateImport')
  const report = await who.get(`${at}/report`)
  expect(report.body).toContain('What remains to be done')
  expect(report.body).not.toContain('activateImport')
  expect(textOf(report.body).split('$ panel')[0]).not.toMatch(/panel import|--as/)
  expect(report.body).toMatch(/<th scope="row"[^>]*>1<\/th>/)
  const asks = await who.get(`${at}?do=deleteImport`)
  expect((await who.submit(asks, 'deleteImport', { confirm: 'wrong' })).status).toBe(400)
  expect((await who.submit(asks, 'deleteImport', { confirm: 'rooty' })).status).toBe(303)
  await panel.settle()
  expect((await panel.get('/accounts')).body.total).toBe(0)
  expect((await panel.get('/imports')).body.total).toBe(0)
})

test('a reseller sends an archive with the form; without one the page says what to choose', async () => {
  const { panel } = await panelWith({})
  const bob = await panel.account('bob', { password })
  await panel.post('/resellers', { account_id: bob.id, acl: ['create-acct', 'list-accts'] })
  const who = await new Visitor(panel).signIn('bob', 'admin')
  const form = await who.get('/admin/imports/new')
  expect(form.body).not.toContain('name="path"')
  const none = await who.upload(form, 'createImport', { as: 'alice2' }, [])
  expect([none.status, textOf(none.body).includes('Archive : choose an archive')]).toEqual([400, true])
  expect(none.body).toMatch(/value="alice2"/)
  const archive = { name: 'cpmove-alice.tar.gz', bytes: cpmove() }
  const refused = await who.upload(form, 'createImport', { as: 'a'.repeat(65) }, archive)
  expect(refused.status).toBe(400)
  expect((await who.upload(form, 'createImport', {}, archive, 100)).status).toBe(400)
  const other = await who.upload(form, 'createImport', {}, { name: 'a.tar.gz', bytes: Buffer.from('GIF89a') })
  expect([other.status, textOf(other.body)]).toEqual([
    400,
    expect.stringContaining('Archive : is not an account archive'),
  ])
  expect(other.body).toContain('name="upload_id" value=""')
  const begun = await who.upload(form, 'createImport', { as: 'alice2' }, archive, 0, ['as'])
  expect(begun.headers.get('location')).toMatch(/^\/admin\/imports\/[0-9A-Z]{26}\?done=createImport/)
  await panel.settle()
  const { items } = (await panel.get('/imports')).body
  expect(items).toMatchObject([{ username: 'alice2', owner_id: bob.id, source: { kind: 'upload' } }])
})

test('the list shows what runs, and runs and activates many at once', async () => {
  const names = ['alice', 'bob1', 'carol1', 'dave1']
  const archives = names.map((name) => [`${name}.tar.gz`, gzipped(below(`cpmove-${name}`, small(name)))] as const)
  const { panel, path } = await panelWith(Object.fromEntries(archives))
  await panel.put('/root/password', { new_password: password })
  const who = await new Visitor(panel).signIn('root', 'admin')
  for (const name of names) await panel.post('/imports', { path: path(`${name}.tar.gz`) })
  await panel.settle()
  const all: Json[] = (await panel.get('/imports')).body.items
  const many = async (op: string): Promise<void> => {
    const chosen = all.map(({ id }) => ['_item', id] as [string, string])
    const list = await who.get('/admin/imports')
    const csrf = /name="csrf_token" value="([^"]+)"/.exec(list.body)![1]!
    const sent = [['csrf_token', csrf], ['do', op], ['_yes', '1'], ...chosen] as [string, string][]
    expect((await who.post('/admin/imports', new URLSearchParams(sent))).status).toBe(200)
  }
  await many('runImport')
  const running = await who.get('/admin/imports')
  expect(running.body).toContain('Running now')
  await panel.settle()
  await many('activateImport')
  await panel.settle()
  const list = (await panel.get('/imports')).body.items.map(({ status }: Json) => status)
  expect(list).toEqual(names.map(() => 'active'))
  expect((await who.get('/admin/imports')).body).not.toContain('Running now')
})

const small = (name: string) =>
  filesOf({ [`cp/${name}`]: `DNS=${name}.example\nUSER=${name}\n`, 'homedir/public_html/index.html': name })

test('an archive that cannot be read: the list leads to it, and its page says why once and offers another', async () => {
  const { panel, path } = await panelWith({ 'app.tar.gz': gzipped(filesOf({ 'app/index.html': 'x' })) })
  await panel.put('/root/password', { new_password: password })
  const who = await new Visitor(panel).signIn('root', 'admin')
  await panel.post('/imports', { path: path('app.tar.gz') })
  await panel.settle()
  const list = await who.get('/admin/imports')
  const [, at] = /href="(\/admin\/imports\/[0-9A-Z]{26})"><bdi[^>]*>app\.tar\.gz</.exec(list.body)!
  expect(list.body).toContain('aria-label="Select app.tar.gz"')
  const page = await who.get(at!)
  const text = textOf(page.body)
  expect(text.match(/is not an account archive/g)).toHaveLength(1)
  expect(text).toContain('app.tar.gz is not an account archive of cPanel, DirectAdmin or Hestia')
  expect(text).not.toContain('What remains to be done')
  expect(page.body).not.toContain('value="runImport"')
  expect(page.body).toMatch(/href="\/admin\/imports\/new"[^>]*>.*Choose another file/)
  expect(page.body).toContain('do=deleteImport')
})

test('an archive that was sent has no name on the server: its page calls it the archive', async () => {
  const { panel } = await panelWith({})
  await panel.put('/root/password', { new_password: password })
  const who = await new Visitor(panel).signIn('root', 'admin')
  const archive = { name: 'app.tar.gz', bytes: gzipped(filesOf({ 'app/index.html': 'x' })) }
  const sent = await who.upload(await who.get('/admin/imports/new'), 'createImport', {}, archive)
  await panel.settle()
  const list = await who.get('/admin/imports')
  expect(textOf(list.body)).toContain('Uploaded archive')
  const page = textOf((await who.get(sent.headers.get('location')!.split('?')[0]!)).body)
  expect(page).toContain('The archive is not an account archive')
})
