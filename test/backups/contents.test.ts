import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { events, received, withHome } from './fixtures.ts'

async function withIndex() {
  const input = await withHome()
  mkdirSync(join(input.home, 'mail/alice.example/info/.Sent/cur'), { recursive: true })
  writeFileSync(join(input.home, 'mail/alice.example/info/.Sent/cur/1'), 'Subject: sent\n')
  mkdirSync(join(input.home, 'sites/hollow'))
  for (let n = 0; n < 1_200; n++) writeFileSync(join(input.home, `sites/many-${String(n).padStart(4, '0')}`), '')
  const backup = await input.made()
  const path = `${input.path}/${backup.id}`
  const ls = (query = '') => input.panel.get(`${path}/entries${query}`)
  return {
    ...input,
    backup,
    backupPath: path,
    ls,
    index: join(input.panel.dir, 'host/var/lib/panel-host/backup-index'),
  }
}

const names = (body: Json): string[] => body.items.map(({ name }: Json) => name)

/** Everything, page by page. */
async function all(ls: (query: string) => Promise<{ body: Json }>, query: string): Promise<Json[]> {
  const items: Json[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const more: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`
    const { body } = await ls(`${query}${more}`)
    items.push(...body.items)
    after = body.next
  }
  return items
}

test('the first look has the backup indexed by one job; then each level is listed', async () => {
  const { panel, ls, index, alice, backup } = await withIndex()
  panel.forget()
  const first = await ls()
  expect([received(first), first.headers.get('retry-after')]).toEqual(['409 busy', '2'])
  expect(received(await ls('?part=mail'))).toBe('409 busy')
  expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.index succeeded'] })
  expect(readdirSync(join(index, alice.id))).toEqual([expect.stringMatching(`^${backup.id}-[0-9a-f]{16}$`)])

  expect(names((await ls()).body)).toContain('sites')
  const { body } = await ls('?path=sites/alice.example/public')
  expect(body).toEqual({
    items: [
      { name: 'deep', type: 'directory', modified_at: expect.any(Number), mode: '0755' },
      { name: 'index.html', type: 'file', size: 15, modified_at: expect.any(Number), mode: '0644' },
    ],
  })
  expect((await ls('?path=sites/hollow')).body).toEqual({ items: [] })
  expect(names((await ls('?path=sites/alice.example/')).body)).toContain('public')
  expect(await events(panel)).toEqual({ events: [], jobs: [] })
})

test('a large directory comes in pages, with links and names that are not text', async () => {
  const { panel, ls } = await withIndex()
  await ls()
  await panel.settle()
  const items = await all(ls, '?path=sites&limit=500')
  const found = items.map(({ name }) => name)
  expect(found.filter((name) => name.startsWith('many-'))).toHaveLength(1_200)
  expect(new Set(found).size).toBe(found.length)
  expect(items.find(({ name }) => name === 'passwd')).toMatchObject({ type: 'link' })
  expect(found).toContain('o\ufffd\n')
  expect(await all(ls, '?path=sites&limit=7')).toEqual(items)
})

test('mail is listed by mailbox and folder, zones and settings by name', async () => {
  const { panel, ls } = await withIndex()
  await ls()
  await panel.settle()
  expect((await ls('?part=mail')).body.items).toEqual([
    { name: 'alice@alice.example', type: 'mailbox', size: 15 },
    { name: 'info@alice.example', type: 'mailbox', size: 14 },
  ])
  expect((await ls('?part=mail&path=info@alice.example')).body.items).toEqual([
    { name: 'INBOX', type: 'folder', size: 0 },
    { name: 'Sent', type: 'folder', size: 14 },
  ])
  expect((await ls('?part=dns')).body.items).toEqual([
    { name: 'alice.example', type: 'zone', size: expect.any(Number) },
  ])
  expect(names((await ls('?part=config')).body)).toEqual(['account.json'])
})

test('refuses what is not in the backup', async () => {
  const { panel, ls, made, path } = await withIndex()
  await ls()
  await panel.settle()
  for (const [query, refused] of [
    ['?path=nowhere', '404 not-found'],
    ['?path=sites/run.sh', '404 not-found'],
    ['?path=../..', '404 not-found'],
    ['?part=mail&path=bob@alice.example', '404 not-found'],
    ['?part=mysql', '409 incomplete'],
    ['?part=all', '400 validation part'],
    ['?limit=1001', '400 validation limit'],
  ])
    expect([query, received(await ls(query))]).toEqual([query, refused])
  const { id } = await made({ parts: ['config'] })
  expect(received(await panel.get(`${path}/${id}/entries`))).toBe('409 incomplete')
})

test('an index goes with its backup and with its account', async () => {
  const { panel, ls, index, alice, backupPath, made, path } = await withIndex()
  await ls()
  await panel.settle()
  await panel.delete(backupPath)
  await panel.settle()
  expect(readdirSync(join(index, alice.id))).toEqual([])
  const { id } = await made()
  await panel.get(`${path}/${id}/entries`)
  await panel.settle()
  expect(readdirSync(join(index, alice.id))).toHaveLength(1)
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  await panel.settle()
  expect(existsSync(join(index, alice.id))).toBe(false)
})
