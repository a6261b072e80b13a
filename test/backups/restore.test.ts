import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { host } from '../domains/fixtures.ts'
import type { Json } from '../harness.ts'
import { events, nothing, received, withHome } from './fixtures.ts'

const restored = { events: ['job.completed'], jobs: ['backup.restore succeeded'] }
const failed = { events: ['job.failed'], jobs: ['backup.restore failed'] }

/** A home with its previous state next to it. */
async function withCopy() {
  const input = await withHome()
  const copy = join(input.panel.dir, 'copy')
  const { id } = await input.made()
  execFileSync('cp', ['-a', input.home, copy])
  input.panel.forget()
  const restore = (body: object = {}) => input.panel.post(`${input.path}/${id}/restore`, body)
  const errorOf = async (job: string) => (await input.panel.get(`/jobs/${job}`)).body.job.error
  return { ...input, copy, id, restore, errorOf }
}

function change(home: string): void {
  writeFileSync(join(home, 'sites/alice.example/public/index.html'), 'defaced')
  rmSync(join(home, 'sites/run.sh'))
  writeFileSync(join(home, 'sites/new.php'), '<?php')
  rmSync(join(home, 'sites/passwd'))
  mkdirSync(join(home, 'sites/passwd'))
  writeFileSync(join(home, 'mail/alice.example/alice/new/2'), 'Subject: since\n')
}

const same = (one: string, other: string): void =>
  void execFileSync('diff', ['-r', '--no-dereference', '-x', 'tmp', '-x', 'mail', one, other])

test('files are restored over a changed home, byte for byte, and a safety backup has the previous state', async () => {
  const { panel, home, copy, path, folder, id, restore } = await withCopy()
  change(home)
  const reply = await restore({ parts: ['files'] })
  expect([reply.status, reply.body.backup.id]).toEqual([202, id])
  expect(await events(panel)).toEqual(restored)
  same(home, copy)
  expect(readdirSync(join(home, 'mail/alice.example/alice/new'))).toEqual(['1', '2'])
  expect(readdirSync(home).filter((name) => name.startsWith('restore-'))).toEqual([])
  expect(statSync(join(home, 'sites/run.sh')).mode & 0o7777).toBe(0o755)
  const { items } = (await panel.get(path)).body
  expect(items.map(({ kind, status }: Json) => `${kind} ${status}`)).toEqual(['manual complete', 'safety complete'])
  expect(items[1]).toMatchObject({ job_id: reply.body.job_id, expires_at: panel.clock.now() + 7 * 86_400_000 })
  expect(items[1].parts.map(({ part }: Json) => part)).toEqual(['files'])
  const list = execFileSync('tar', ['--zstd', '-tf', join(folder, items[1].id, 'files.tar.zst')], { encoding: 'utf8' })
  expect(list).toContain('sites/new.php')
})

test("all parts are restored: mail, records, sites, redirects and the account's settings", async () => {
  const input = await withHome()
  const { panel, alice, home, path } = input
  const base = `/accounts/${alice.id}`
  await panel.patch(base, { contact_email: 'alice@ext.example' })
  const shop = (await panel.post(`${base}/domains`, { name: 'shop.example' })).body.domain
  await panel.settle()
  await panel.post(`${base}/domains/${shop.id}/redirects`, { path: '/old', target: 'https://new.example/' })
  const zone = (await panel.get(`${base}/dns/zones?q=shop.example`)).body.items[0]
  await panel.post(`${base}/dns/zones/${zone.id}/records`, { name: 'api', type: 'A', value: '192.0.2.44' })
  const { id } = await input.made()
  const domains = async () =>
    (await panel.get(`${base}/domains`)).body.items.map(({ name, handler }: Json) => `${name} ${handler}`)
  const before = await domains()
  await panel.patch(base, { contact_email: 'other@ext.example' })
  await panel.delete(`${base}/domains/${shop.id}`)
  await panel.settle()
  const [main] = (await panel.get(`${base}/domains`)).body.items
  await panel.patch(`${base}/domains/${main.id}`, { handler: 'static' })
  await panel.settle()
  rmSync(join(home, 'mail'), { recursive: true })
  mkdirSync(join(home, 'mail'))
  panel.forget()
  await panel.post(`${path}/${id}/restore`)
  expect(await events(panel)).toEqual(restored)
  expect(await domains()).toEqual(before)
  expect((await panel.get(base)).body.contact_email).toBe('alice@ext.example')
  const again = (await panel.get(`${base}/domains?q=shop.example`)).body.items[0]
  expect(again.status).toBe('active')
  const redirects = (await panel.get(`${base}/domains/${again.id}/redirects`)).body.items
  expect(redirects.map(({ path, target }: Json) => [path, target])).toEqual([['/old', 'https://new.example/']])
  const { records } = { records: (await panel.get(`${base}/dns/zones/${again.zone_id}/records?q=api`)).body.items }
  expect(records.map(({ value }: Json) => value)).toEqual(['192.0.2.44'])
  expect(readFileSync(join(home, 'mail/alice.example/alice/new/1'), 'utf8')).toBe('Subject: hello\n')
  expect(host(panel).vhost('shop.example')).toContain('/old')
})

test('selected paths replace what exists, or go elsewhere', async () => {
  const { panel, home, copy, restore } = await withCopy()
  change(home)
  await restore({ paths: ['sites/alice.example', 'sites/run.sh'] })
  expect(await events(panel)).toEqual(restored)
  same(join(home, 'sites/alice.example'), join(copy, 'sites/alice.example'))
  expect(existsSync(join(home, 'sites/run.sh'))).toBe(true)
  expect(existsSync(join(home, 'sites/new.php'))).toBe(true)
  await restore({ paths: ['sites/alice.example/public'], to: 'sites/before', safety: false })
  expect(await events(panel)).toEqual(restored)
  same(join(home, 'sites/before/sites/alice.example/public'), join(copy, 'sites/alice.example/public'))
})

test('a path that is not in the backup, or leads through a link, fails and changes nothing', async () => {
  const { panel, home, restore, errorOf } = await withCopy()
  change(home)
  const now = join(panel.dir, 'now')
  execFileSync('cp', ['-a', home, now])
  const first = (await restore({ paths: ['sites/run.sh', 'sites/nothing'], safety: false })).body
  expect(await events(panel)).toEqual(failed)
  expect(await errorOf(first.job_id)).toBe('The part files was not restored: sites/nothing is not in the backup.')
  symlinkSync('/tmp', join(home, 'sites/out'))
  await restore({ paths: ['sites/run.sh'], to: 'sites/out', safety: false })
  expect(await events(panel)).toEqual(failed)
  rmSync(join(home, 'sites/out'))
  same(home, now)
})

test('a damaged byte: nothing is changed, no safety backup is made, and the backup is marked damaged', async () => {
  const { panel, home, folder, path, id, restore, errorOf } = await withCopy()
  change(home)
  const archive = join(folder, id, 'files.tar.zst')
  const bytes = readFileSync(archive)
  bytes[bytes.length - 9]! ^= 1
  writeFileSync(archive, bytes)
  const now = join(panel.dir, 'now')
  execFileSync('cp', ['-a', home, now])
  const { job_id } = (await restore()).body
  expect(await events(panel)).toEqual(failed)
  expect(await errorOf(job_id)).toBe('The backup is damaged: files.tar.zst has changed. Nothing was restored.')
  same(home, now)
  expect((await panel.get(path)).body.items.map(({ kind, status }: Json) => `${kind} ${status}`)).toEqual([
    'manual damaged',
  ])
  expect(received(await restore())).toBe('409 incomplete')
})

test('a domain that belongs to another account now fails its part before a row changes', async () => {
  const input = await withHome()
  const { panel, alice, path } = input
  const base = `/accounts/${alice.id}`
  const shop = (await panel.post(`${base}/domains`, { name: 'shop.example' })).body.domain
  await panel.settle()
  await panel.patch(base, { contact_email: 'first@ext.example' })
  const { id } = await input.made({ parts: ['config', 'dns'] })
  await panel.patch(base, { contact_email: 'second@ext.example' })
  await panel.delete(`${base}/domains/${shop.id}`)
  await panel.settle()
  const bob = await panel.account('bob')
  await panel.post(`/accounts/${bob.id}/domains`, { name: 'shop.example' })
  await panel.settle()
  panel.forget()
  const { job_id } = (await panel.post(`${path}/${id}/restore`)).body
  expect(await events(panel)).toEqual(failed)
  const { error } = (await panel.get(`/jobs/${job_id}`)).body.job
  const [, safety] = (await panel.get(path)).body.items
  expect(error).toBe(
    `The part config was not restored: shop.example is taken; choose another. What there was before is in the safety backup ${safety.id}.`,
  )
  expect((await panel.get(base)).body.contact_email).toBe('second@ext.example')
})

test('a quota that is too small is detected before a safety backup', async () => {
  const { panel, alice, home, path, made } = await withHome()
  writeFileSync(join(home, 'sites/much'), Buffer.alloc(3 * 1024 * 1024))
  const { id } = await made({ parts: ['files'] })
  rmSync(join(home, 'sites/much'))
  await panel.patch(`/accounts/${alice.id}`, { disk_quota_mb: 2 })
  await panel.settle()
  panel.forget()
  const { job_id } = (await panel.post(`${path}/${id}/restore`)).body
  expect(await events(panel)).toEqual(failed)
  expect((await panel.get(`/jobs/${job_id}`)).body.job.error).toBe(
    'The backup needs 4 MB, and the account may use 2 MB.',
  )
  expect((await panel.get(path)).body.total).toBe(1)
})

test('a restore makes no more files and directories than the account may have, besides as many as it replaces', async () => {
  const { panel, alice, home, path, made } = await withHome()
  for (const n of [1, 2, 3, 4]) writeFileSync(join(home, `sites/${n}`), 'x')
  const { id } = await made({ parts: ['files'] })
  const restore = async (body: object): Promise<Json> => {
    const { job_id } = (await panel.post(`${path}/${id}/restore`, { safety: false, ...body })).body
    await panel.settle()
    return (await panel.get(`/jobs/${job_id}`)).body.job
  }
  const usage = async (): Promise<Json> => (await panel.get(`/accounts/${alice.id}/usage`)).body.inodes
  const limit = async (count: number): Promise<void> => {
    await panel.patch(`/accounts/${alice.id}`, { inodes_limit: count })
    await panel.settle()
  }
  const refused = {
    status: 'failed',
    error: 'The part files was not restored: It has more files and directories than the account may still make.',
  }
  await limit(1_000)
  expect(await restore({})).toMatchObject({ status: 'succeeded' })
  const { used } = await usage()
  await limit(used)
  expect(await restore({})).toMatchObject({ status: 'succeeded' })
  expect(await usage()).toEqual({ used, limit: used })
  rmSync(join(home, 'sites/4'))
  await limit(used - 1)
  const before = readdirSync(home).sort()
  panel.forget()
  const { error } = await restore({})
  expect(error).toBe(refused.error)
  expect(await events(panel)).toEqual(failed)
  expect(await restore({ paths: ['sites/1', 'sites/2'], to: 'again' })).toMatchObject(refused)
  expect(readdirSync(home).sort()).toEqual(before)
  expect(existsSync(join(home, 'sites/4'))).toBe(false)
  expect(await restore({ paths: ['sites/1'] })).toMatchObject({ status: 'succeeded' })
  await limit(used + 2)
  expect(await restore({ paths: ['sites/1', 'sites/2'], to: 'again' })).toMatchObject({ status: 'succeeded' })
})

test('invalid input changes nothing', async () => {
  const { panel, restore } = await withCopy()
  const bodies = [
    { parts: [] },
    { paths: ['../x'] },
    { paths: ['/etc'] },
    { paths: ['sites/../x'] },
    { paths: ['a'], parts: ['mail'] },
    { paths: ['sites'], to: 'mail/x' },
    { to: 'a/../b' },
    { safety: 'no' },
  ]
  const answers = []
  for (const body of bodies) answers.push(received(await restore(body)))
  const fields = ['parts', 'paths', 'paths', 'paths', 'paths', 'to', 'to', 'safety']
  expect(answers).toEqual(fields.map((field) => `400 validation ${field}`))
  expect(received(await restore({ parts: ['mysql'] }))).toBe('409 incomplete')
  expect(await events(panel)).toEqual(nothing)
})

test('during a restore the account is busy for other backups and restores', async () => {
  const { panel, path, id, restore } = await withCopy()
  await restore({ parts: ['config'] })
  const answers = [await restore(), await panel.post(path, {}), await panel.delete(`${path}/${id}`)]
  expect(answers.map(received)).toEqual(['409 busy', '409 busy', '409 busy'])
  expect(await events(panel)).toEqual(restored)
})
