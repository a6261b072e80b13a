import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { below, cpmove, dumpOf, type Entry, filesOf, gzipped, wordpress } from './archives.ts'

async function panelWith(archives: Readonly<Record<string, Buffer>>): Promise<{ panel: TestPanel; folder: string }> {
  const panel = await startPanel()
  const folder = join(panel.dir, 'archives')
  mkdirSync(folder)
  for (const [name, bytes] of Object.entries(archives)) writeFileSync(join(folder, name), bytes)
  expect((await panel.patch('/settings', { import_dirs: [folder] })).status).toBe(200)
  return { panel, folder }
}

async function inspected(panel: TestPanel, body: object): Promise<Json> {
  const created = await panel.post('/imports', body)
  expect(created.status, JSON.stringify(created.body)).toBe(202)
  expect(created.body.import.status).toBe('inspecting')
  await panel.settle()
  return (await panel.get(`/imports/${created.body.import.id}`)).body
}

const reportOf = async (panel: TestPanel, id: string): Promise<Json> =>
  (await panel.get(`/imports/${id}/report?per_page=500`)).body

test('an archive is inspected: the report names everything, twice the same, and nothing is made', async () => {
  const { panel, folder } = await panelWith({ 'alice.tar.gz': cpmove() })
  const path = join(folder, 'alice.tar.gz')
  const one = await inspected(panel, { path })
  expect(one).toMatchObject({
    status: 'ready',
    username: 'alice',
    main_domain: 'alice.example',
    source: { kind: 'path', format: 'cpanel' },
  })
  const report = await reportOf(panel, one.id)
  expect(report.counts.conflicts).toBe(0)
  const items: Json[] = report.items
  const named = (part: string) => items.filter((item) => item.part === part).map(({ item }) => item)
  for (const box of ['info', 'info2', 'locked', 'old', 'empty', 'alice'])
    expect(named('mail')).toContain(`${box}@alice.example`)
  for (const domain of ['alice.example', 'shop.example', 'blog.alice.example', 'alice.test'])
    expect(named('domains')).toContain(domain)
  for (const user of ['alice_main', 'alice_app', 'alice_ro']) expect(named('mysql')).toContain(`user ${user}`)
  expect(items.find(({ item }) => item === 'empty@alice.example password')).toMatchObject({ outcome: 'not_possible' })
  expect(items.find(({ item }) => item === 'forwarder script@alice.example')).toMatchObject({ outcome: 'not_possible' })
  expect(items.find(({ item }) => item === 'catch-all shop.example')).toMatchObject({ outcome: 'changed' })
  expect(
    items
      .filter(({ part }) => part === 'cron')
      .map(({ outcome, line }) => [line, outcome])
      .sort(),
  ).toEqual([
    [3, 'changed'],
    [4, 'changed'],
    [5, 'changed'],
    [6, 'not_possible'],
    [7, 'not_possible'],
  ])
  const lineOf = (item: string) => items.find((one) => one.item === item)
  const rootOf = (domain: string) => lineOf(`${domain} document root`)
  for (const [domain, root] of [
    ['alice.example', 'public_html'],
    ['blog.alice.example', 'public_html/blog'],
    ['shop.example', 'shop.example'],
  ] as const)
    expect(rootOf(domain)).toMatchObject({ outcome: 'as_is', from: root, to: root })
  expect(lineOf('alice.example PHP')).toMatchObject({ outcome: 'as_is', from: '8.2', to: '8.2' })
  expect(lineOf('shop.example PHP')).toMatchObject({
    ...{ outcome: 'changed', from: '7.4', to: '8.1', fix: 'panel host setup --php 7.4' },
  })
  expect(JSON.stringify(report)).not.toMatch(/\$[16]\$|\*[0-9A-F]{40}/)
  const again = await inspected(panel, { path })
  expect(await reportOf(panel, again.id)).toEqual(report)
  expect((await panel.get('/accounts')).body.total).toBe(0)
  expect(readdirSync(panel.dir)).not.toContain('imports')
  expect(existsSync(join(panel.dir, 'host/home'))).toBe(false)
})

test('the report names what of an archive is not unpacked, without control characters', async () => {
  const pipes = Array.from({ length: 7 }, (_, at) => ({ path: `homedir/pipe\u001b[2J${at}`, code: '6' }))
  const archive = [...wordpress(), ...pipes, { path: 'homedir/disk', code: '4' }]
  const { panel, folder } = await panelWith({
    'alice.tar.gz': gzipped([...below('cpmove-alice', archive), { path: '/etc/passwd', content: 'x' }]),
  })
  const { id } = await inspected(panel, { path: join(folder, 'alice.tar.gz') })
  const { items } = await reportOf(panel, id)
  const pipe = (at: number) => `cpmove-alice/homedir/pipe\\x1b[2J${at}`
  expect(
    items.filter(({ text }: Json) => /not unpacked/.test(text)).map(({ item, text }: Json) => [item, text]),
  ).toEqual([
    ['absolute names', '1 entry is not unpacked: /etc/passwd'],
    [
      'devices, FIFOs and unknown types',
      `8 entries are not unpacked: ${[0, 1, 2, 3, 4].map(pipe).join(', ')} and 3 more`,
    ],
  ])
})

test('all conflicts are refusalOf at once, and options solve them', async () => {
  const bad = [
    ...wordpress(),
    ...filesOf({ 'mysql/alice_Shop2.sql': dumpOf('alice_Shop2', 'GRANT ALL ON *.* TO x;\n\\! id\n;') }),
  ]
  const { panel, folder } = await panelWith({ 'alice.tar.gz': gzipped(below('cpmove-alice', bad)) })
  await panel.post('/accounts', { username: 'alice', domain: 'other.example' })
  await panel.settle()
  const { body: bob } = await panel.post('/accounts', { username: 'bob', domain: 'alice.example' })
  expect(bob.account.username).toBe('bob')
  await panel.settle()
  const one = await inspected(panel, { path: join(folder, 'alice.tar.gz') })
  expect(one.status).toBe('blocked')
  const { items } = await reportOf(panel, one.id)
  const conflicts = items.filter(({ outcome }: Json) => outcome === 'conflict')
  expect(conflicts.map(({ part, item }: Json) => [part, item])).toEqual([
    ['account', 'alice'],
    ['domains', 'alice.example'],
    ['domains', 'blog.alice.example'],
    ['mysql', 'alice_'],
    ['mysql', 'alice_Shop2'],
  ])
  expect(conflicts.at(-1).text).toMatch(/GRANT ALL \(line \d+\), a command of the client \(line \d+\)/)
  const map = { domains: { 'blog.alice.example': null }, databases: { alice_Shop2: null } }
  const updated = await panel.patch(`/imports/${one.id}`, { as: 'alicia', domain: 'alicia.example', map })
  expect(updated.body).toMatchObject({ status: 'ready', username: 'alicia', main_domain: 'alicia.example' })
  const wrong = await panel.patch(`/imports/${one.id}`, { map: { databases: { nothing: 'x' } } })
  expect(wrong.body.status).toBe('blocked')
})

test('an invalid archive or a forbidden path is refused with the field', async () => {
  const { panel, folder } = await panelWith({
    'page.html': Buffer.from('<p>secret words</p>'),
    'cut.tar.gz': cpmove().subarray(0, 900),
  })
  symlinkSync(join(folder, 'page.html'), join(folder, 'link'))
  const refusalOf = async (path: string) => {
    const reply = await panel.post('/imports', { path })
    return [reply.status, reply.body.fields?.path]
  }
  expect(await refusalOf(join(folder, 'page.html'))).toEqual([
    400,
    'is not an account archive of cPanel, DirectAdmin or Hestia: a tar, also as gz, zst, bz2 or xz',
  ])
  expect(await refusalOf(join(folder, 'missing'))).toEqual([400, 'does not exist'])
  expect(await refusalOf(join(folder, 'link'))).toEqual([400, 'must not be a symbolic link'])
  expect(await refusalOf('http://ext.example/a')).toEqual([400, 'must be an absolute path'])
  expect(await refusalOf(folder)).toEqual([400, expect.stringContaining('must be below')])
  expect(await refusalOf('/etc/passwd')).toEqual([400, expect.stringContaining('must be below')])
  expect(await refusalOf(join(folder, '../panel.db'))).toEqual([400, expect.stringContaining('must be below')])
  const cut = await inspected(panel, { path: join(folder, 'cut.tar.gz') })
  expect(cut).toMatchObject({ status: 'failed', error: expect.stringMatching(/at byte \d+/) })
  await panel.delete(`/imports/${cut.id}`)
  await panel.settle()
  expect((await panel.get(`/imports/${cut.id}`)).status).toBe(404)
})

test('words of an archive are escaped, and an empty home needs names', async () => {
  const entries: Entry[] = filesOf({
    'homedir/public_html/index.html': 'x',
    'homedir/\u001b[2J/.htaccess': 'Deny from all\n',
  })
  const { panel, folder } = await panelWith({ 'home.tar.gz': gzipped(entries) })
  const one = await inspected(panel, { path: join(folder, 'home.tar.gz') })
  expect(one.status).toBe('blocked')
  const { items } = await reportOf(panel, one.id)
  expect(items.filter(({ outcome }: Json) => outcome === 'conflict').map(({ item }: Json) => item)).toEqual([
    'username',
    'main domain',
  ])
  expect(JSON.stringify(items)).toContain('\\\\x1b[2J')
  const named = await panel.patch(`/imports/${one.id}`, { as: 'carol', domain: 'carol.example' })
  expect(named.body.status).toBe('ready')
})
