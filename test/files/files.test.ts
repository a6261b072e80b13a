import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { expireTrash } from '../../src/areas/files/expiry.ts'
import type { HostDriver } from '../../src/host/contract/driver.ts'
import { day, hour, minute } from '../../src/shared/time.ts'
import { turns } from '../clock.ts'
import { PausedDriver } from '../drivers.ts'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'

let panel: TestPanel
let alice: Json
let home: string

beforeEach(async () => {
  panel = await startPanel()
  alice = await panel.account('alice')
  home = join(panel.dir, 'host/home/alice')
})

const at = (path: string): string => `/accounts/${alice.id}${path}`
const bytes = { headers: { 'Content-Type': 'application/octet-stream' } }
const put = (path: string, body: string, headers = {}): Promise<Reply> =>
  panel.send('PUT', at(`/files/content?path=${encodeURIComponent(path)}`), {
    body,
    headers: { ...bytes.headers, ...headers },
  })
const read = (path: string, headers = {}): Promise<Reply> =>
  panel.get(at(`/files/content?path=${encodeURIComponent(path)}`), { headers })
const names = (reply: Reply): string[] => reply.body.items.map(({ name }: Json) => name)
const received = ({ status, code, body }: Reply): unknown[] => [status, code, body.fields]

test('a file is written, read and listed, and leaves an audit row and no event', async () => {
  const written = await put('sites/alice.example/public/new.html', '<h1>Hello</h1>')
  expect([written.status, written.body]).toEqual([
    200,
    {
      name: 'new.html',
      path: 'sites/alice.example/public/new.html',
      type: 'file',
      size: 14,
      mode: '0644',
      modified_at: expect.any(Number),
      etag: expect.stringMatching(/^".+"$/),
    },
  ])
  expect(readFileSync(join(home, 'sites/alice.example/public/new.html'), 'utf8')).toBe('<h1>Hello</h1>')
  const answer = await read('sites/alice.example/public/new.html')
  expect([answer.status, answer.body]).toEqual([200, '<h1>Hello</h1>'])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '14',
    'content-disposition': `attachment; filename="new.html"; filename*=UTF-8''new.html`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    etag: written.body.etag,
  })
  expect(names(await panel.get(at('/files?path=sites/alice.example/public')))).toEqual(['new.html'])
  expect(panel.events()).toEqual([])
  expect(panel.jobs()).toEqual([])
  const audit = (await panel.get(at('/audit?order=desc&per_page=1'))).body.items
  expect(audit).toMatchObject([{ operation: 'writeFile', after: { path: 'sites/alice.example/public/new.html' } }])
})

describe('write of a file', () => {
  test('writes over the expected version only, or only if there is none', async () => {
    const { etag } = (await put('tmp/a', 'one')).body
    expect(received(await put('tmp/a', 'two', { 'If-None-Match': '*' }))).toEqual([409, 'exists', undefined])
    expect(received(await put('tmp/a', 'two', { 'If-Match': '"other"' }))).toEqual([409, 'changed', undefined])
    expect((await put('tmp/a', 'two', { 'If-Match': etag })).status).toBe(200)
    expect(received(await put('tmp/a', 'three', { 'If-Match': etag }))).toEqual([409, 'changed', undefined])
    expect(received(await put('tmp/b', 'x', { 'If-Match': '*' }))).toEqual([409, 'changed', undefined])
    expect(readFileSync(join(home, 'tmp/a'), 'utf8')).toBe('two')
  })

  test('keeps the permissions of the file it replaces', async () => {
    await put('tmp/a', 'one')
    await panel.post(at('/files/mode'), { path: 'tmp/a', mode: '0600' })
    expect((await put('tmp/a', 'two')).body.mode).toBe('0600')
    const input = await panel.send('PUT', at('/files/content?path=tmp/a&mode=0755'), { ...bytes, body: 'three' })
    expect(input.body.mode).toBe('0755')
  })

  test('never writes beyond the quota, and leaves nothing of a refused file', async () => {
    await panel.patch(`/accounts/${alice.id}`, { disk_quota_mb: 1 })
    await panel.settle()
    const refused = await put('tmp/a', 'x'.repeat(1024 * 1024 + 1))
    expect(received(refused)).toEqual([409, 'limit-reached', { disk_quota_mb: 'The disk quota is used up.' }])
    expect(readdirSync(join(home, 'tmp'))).toEqual([])
    expect(readdirSync(join(home, '.panel/work'))).toEqual([])
  })

  test('does not write onto a directory, nor through or onto a link', async () => {
    writeFileSync(join(panel.dir, 'secret'), 'secret')
    symlinkSync(join(panel.dir, 'secret'), join(home, 'tmp/link'))
    symlinkSync(panel.dir, join(home, 'tmp/out'))
    for (const path of ['tmp', 'tmp/link', 'tmp/out/secret', 'tmp/out/new'])
      expect(received(await put(path, 'x')).slice(0, 2), path).toEqual([400, 'validation'])
    expect(readFileSync(join(panel.dir, 'secret'), 'utf8')).toBe('secret')
  })
})

test('a range of a file is read; one beyond its end is refused', async () => {
  const { etag } = (await put('tmp/a', '0123456789')).body
  const slice = async (range: string, more = {}) => {
    const { status, body, headers } = await read('tmp/a', { Range: range, ...more })
    return [status, body, headers.get('content-range')]
  }
  expect(await slice('bytes=2-4')).toEqual([206, '234', 'bytes 2-4/10'])
  expect(await slice('bytes=7-')).toEqual([206, '789', 'bytes 7-9/10'])
  expect(await slice('bytes=-3')).toEqual([206, '789', 'bytes 7-9/10'])
  expect(await slice('bytes=8-99')).toEqual([206, '89', 'bytes 8-9/10'])
  expect(await slice('bytes=0-1,4-5')).toEqual([200, '0123456789', null])
  expect(await slice('bytes=0-1', { 'If-Range': etag })).toEqual([206, '01', 'bytes 0-1/10'])
  expect(await slice('bytes=0-1', { 'If-Range': '"other"' })).toEqual([200, '0123456789', null])
  const beyond = await read('tmp/a', { Range: 'bytes=10-' })
  expect([...received(beyond), beyond.headers.get('content-range')]).toEqual([
    ...[416, 'range-not-satisfiable', undefined],
    'bytes */10',
  ])
  await put('tmp/empty', '')
  expect((await read('tmp/empty')).body).toBe('')
})

describe('path', () => {
  test.each(['..', 'tmp/..', 'tmp/\0', `tmp/${'x'.repeat(256)}`, Array(65).fill('d').join('/')])(
    'refuses the path %j',
    async (path) => {
      for (const reply of [
        await read(path),
        await put(path, 'x'),
        await panel.get(at(`/files?path=${encodeURIComponent(path)}`)),
        await panel.delete(at(`/files?path=${encodeURIComponent(path)}`)),
      ])
        expect([reply.status, reply.code, Object.keys(reply.body.fields)]).toEqual([400, 'validation', ['path']])
    },
  )

  test.each(['./tmp/a', 'tmp//a', 'tmp/a/', '/tmp/./a', './/tmp/a/.'])('takes the path %j for tmp/a', async (path) => {
    await put('tmp/a', 'x')
    expect((await read(path)).body).toBe('x')
    const { body } = await panel.get(at(`/files/stat?path=${encodeURIComponent(path)}`))
    expect(body).toMatchObject({ name: 'a', path: 'tmp/a' })
  })

  test('resolves a path with a leading slash, and the empty one, to the home', async () => {
    await put('/tmp/a', 'x')
    expect((await read('tmp/a')).body).toBe('x')
    expect(names(await panel.get(at('/files?path=/')))).toEqual(['.panel', 'apps', 'mail', 'sites', 'tmp'])
    expect((await panel.get(at('/files/stat'))).body).toMatchObject({ name: '', path: '', type: 'directory' })
  })

  test('refuses to delete a path that every account has', async () => {
    for (const path of ['sites', 'apps', 'tmp', '']) {
      const query = encodeURIComponent(path)
      expect((await panel.delete(at(`/files?path=${query}`))).code, path).toBe('in-use')
      expect((await panel.post(at('/files/move'), { from: path, to: 'other' })).code, path).toBe('in-use')
      expect((await panel.post(at('/files/mode'), { path, mode: '0777' })).code, path).toBe('in-use')
    }
  })
})

describe('link to /etc/shadow', () => {
  beforeEach(() => symlinkSync('/etc/shadow', join(home, 'tmp/link')))

  test('lists, moves and deletes a link, but never follows it', async () => {
    const before = statSync('/etc/shadow')
    const listed = await panel.get(at('/files?path=tmp'))
    expect(listed.body.items).toMatchObject([{ name: 'link', type: 'link', target: '/etc/shadow' }])
    for (const reply of [
      await read('tmp/link'),
      await put('tmp/link', 'x'),
      await panel.post(at('/files/mode'), { path: 'tmp/link', mode: '0777' }),
    ])
      expect([reply.status, Object.keys(reply.body.fields)]).toEqual([400, ['path']])
    const moved = await panel.post(at('/files/move'), { from: 'tmp/link', to: 'tmp/other' })
    expect(moved.body).toMatchObject({ name: 'other', type: 'link' })
    expect((await panel.delete(at('/files?path=tmp/other'))).body.trash_item).toMatchObject({ type: 'link' })
    const after = statSync('/etc/shadow')
    expect([after.mode, after.size, after.mtimeMs]).toEqual([before.mode, before.size, before.mtimeMs])
  })

  test('reveals nothing of the target of a link in place of a log', async () => {
    const [{ id }] = (await panel.get(at('/domains'))).body.items
    const logs = join(panel.dir, 'host/var/log/panel/alice')
    mkdirSync(logs, { recursive: true })
    symlinkSync('/etc/shadow', join(logs, 'alice.example.error.log'))
    for (const path of ['tail', 'download']) {
      const day = path === 'download' ? `&day=${new Date(panel.clock.now()).toISOString().slice(0, 10)}` : ''
      const reply = await panel.get(at(`/logs/${path}?domain_id=${id}&kind=error${day}`))
      expect(JSON.stringify(reply.body)).not.toContain('root:')
    }
  })
})

describe('directory', () => {
  test('lists a directory in pages by the bytes of names, none missing and none twice', async () => {
    const all = Array.from({ length: 2_345 }, (_, n) => `n${(n * 7919) % 2_345}`)
    mkdirSync(join(home, 'tmp/many'))
    for (const name of all) writeFileSync(join(home, 'tmp/many', name), '')
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await panel.get(at(`/files?path=tmp/many&limit=100${cursor}`))
      expect(body.total).toBe(all.length)
      seen.push(...body.items.map(({ name }: Json) => name))
      cursor = body.next === undefined ? '' : `&cursor=${body.next}`
    } while (cursor !== '')
    expect(seen).toEqual([...all].sort((one, other) => (one < other ? -1 : 1)))
  })

  test('accepts only cursors of its own', async () => {
    const bob = await panel.account('bob')
    const { next } = (await panel.get(`/accounts/${bob.id}/files?limit=1`)).body
    for (const cursor of ['xx', '', Buffer.from('sites').toString('base64url'), next.slice(0, -1), next]) {
      const refused = await panel.get(at(`/files?limit=1&cursor=${cursor}`))
      expect(received(refused)).toEqual([400, 'validation', { cursor: 'is not a cursor returned by this list' }])
    }
  })

  test('creates a directory, with missing parents on request', async () => {
    expect((await panel.post(at('/files/directories'), { path: 'a/b/c' })).code).toBe('not-found')
    const made = await panel.post(at('/files/directories'), { path: 'a/b/c', parents: true })
    expect([made.status, made.body]).toMatchObject([201, { path: 'a/b/c', type: 'directory', mode: '0755' }])
    expect((await panel.post(at('/files/directories'), { path: 'a/b/c', parents: true })).code).toBe('exists')
  })

  test('moves a directory, but not into itself or onto something', async () => {
    await panel.post(at('/files/directories'), { path: 'a/b', parents: true })
    const move = (from: string, to: string, more = {}) => panel.post(at('/files/move'), { from, to, ...more })
    expect(received(await move('a', 'a/b/c'))).toEqual([400, 'validation', { to: expect.any(String) }])
    expect(received(await move('a', 'a'))).toEqual([400, 'validation', { to: expect.any(String) }])
    await put('tmp/file', 'x')
    expect((await move('a', 'tmp/file')).code).toBe('exists')
    expect((await move('a', 'tmp/file', { overwrite: true })).code).toBe('exists')
    expect((await move('tmp/file', 'a/b/file')).body).toMatchObject({ path: 'a/b/file' })
    await put('tmp/file', 'y')
    expect((await move('tmp/file', 'a/b/file')).code).toBe('exists')
    expect((await move('tmp/file', 'a/b/file', { overwrite: true })).status).toBe(200)
    expect((await read('a/b/file')).body).toBe('y')
    expect((await move('a', 'c')).body).toMatchObject({ path: 'c' })
  })
})

test('names that are invalid text, or would change a terminal, are shown and addressed by their bytes', async () => {
  const odd = [Buffer.from('line\nbreak'), Buffer.from('\u001b[31mred'), Buffer.from([0x66, 0xff, 0xfe])]
  for (const name of odd) writeFileSync(Buffer.concat([Buffer.from(join(home, 'tmp/')), name]), 'odd')
  const { items } = (await panel.get(at('/files?path=tmp'))).body
  expect(items.map(({ name_bytes }: Json) => name_bytes).sort()).toEqual(
    odd.map((name) => name.toString('base64')).sort(),
  )
  for (const { path_bytes } of items) {
    const query = Buffer.from(path_bytes, 'base64').toString('base64url')
    const answer = await panel.get(at(`/files/content?path_bytes=${query}`))
    expect([answer.status, answer.body]).toEqual([200, 'odd'])
    expect((await panel.post(at('/files/move'), { from_bytes: path_bytes, to: 'tmp/plain' })).status).toBe(200)
    expect((await panel.delete(at('/files?path=tmp/plain'))).status).toBe(200)
  }
  const made = Buffer.from('tmp/\u0007').toString('base64')
  expect((await panel.post(at('/files/directories'), { path_bytes: made })).code).toBe('validation')
  expect(received(await panel.get(at('/files/stat?path=tmp&path_bytes=dG1w')))).toEqual([
    400,
    'validation',
    { path_bytes: 'cannot be combined with path' },
  ])
})

describe('deleted files', () => {
  const trashed = async () => (await panel.get(at('/trash'))).body.items

  test('moves what is deleted to the trash, and restores it to the same path or another', async () => {
    await put('tmp/a', 'one')
    const { trash_item } = (await panel.delete(at('/files?path=tmp/a'))).body
    expect(trash_item).toEqual({
      id: expect.any(String),
      path: 'tmp/a',
      type: 'file',
      size: 3,
      deleted_at: expect.any(Number),
    })
    expect((await read('tmp/a')).code).toBe('not-found')
    expect(await trashed()).toEqual([trash_item])
    await put('tmp/a', 'two')
    const restore = (body: object) => panel.post(at(`/trash/${trash_item.id}/restore`), body)
    expect((await restore({})).code).toBe('exists')
    expect((await restore({ to: 'new/place/a' })).body).toMatchObject({ path: 'new/place/a', size: 3 })
    expect((await restore({})).code).toBe('not-found')
    expect(await trashed()).toEqual([])
    expect(readdirSync(join(home, '.trash'))).toEqual([])
  })

  test('lists the newest 1,000 items of a trash', async () => {
    const idOf = (n: number) => `01${String(n).padStart(24, '0')}`
    const written = { path: Buffer.from('tmp/a').toString('base64'), type: 'file', size: 1, deletedAt: 1 }
    for (let n = 0; n < 2_100; n++) {
      const item = join(home, '.trash', idOf(n))
      mkdirSync(item, { recursive: true })
      writeFileSync(join(item, 'item'), 'x')
      writeFileSync(join(item, 'about.json'), JSON.stringify({ ...written, id: idOf(n) }))
    }
    const all = (await trashed()).map(({ id }: Json) => id)
    expect(all).toEqual(Array.from({ length: 1_000 }, (_, n) => idOf(2_099 - n)))
  })

  test('expires trash, and an account that takes ten minutes delays no other', async () => {
    await panel.account('bob')
    const calls: string[] = []
    const act = (username: string, before: number) => {
      calls.push(`${username} ${panel.clock.now() - before > 29 * day}`)
      return username === 'alice' ? new Promise(() => {}) : Promise.resolve({ removed: 0 })
    }
    const files = ({ username }: { username: string }) => ({
      act: (_verb: string, { before }: { before: number }) => act(username, before),
    })
    const engine = expireTrash(panel.panel.runtime, { files } as never)
    await panel.clock.advance(6 * hour)
    expect(calls).toEqual(['alice true'])
    await panel.clock.advance(10 * minute)
    expect(calls).toEqual(['alice true', 'bob true'])
    await engine.stop()
  })

  test('deletes files for good when the trash is emptied, by a job', async () => {
    mkdirSync(join(home, 'tmp', ...Array(120).fill('deep')), { recursive: true })
    mkdirSync(join(home, 'tmp/closed/inner'), { recursive: true })
    chmodSync(join(home, 'tmp/closed'), 0)
    for (const path of ['tmp/deep', 'tmp/closed'])
      expect((await panel.delete(at(`/files?path=${path}`))).status).toBe(200)
    panel.forget()
    const emptied = await panel.delete(at('/trash'))
    expect([emptied.status, emptied.body]).toEqual([202, { job_id: expect.any(String) }])
    await panel.settle()
    expect(panel.jobs()).toEqual(['files.empty_trash succeeded'])
    expect(panel.events()).toEqual(['job.completed'])
    expect(readdirSync(join(home, '.trash'))).toEqual([])
  })
})

describe('copy', () => {
  const copy = async (from: string, to: string): Promise<Json> => {
    const { status, body } = await panel.post(at('/files/copy'), { from, to })
    expect(status, JSON.stringify(body)).toBe(202)
    await panel.settle()
    return (await panel.get(`/jobs/${body.job_id}`)).body.job
  }

  test('copies everything in a directory, links as links', async () => {
    await panel.post(at('/files/directories'), { path: 'tmp/d/inner', parents: true })
    await put('tmp/d/inner/b', 'inside')
    symlinkSync('/etc/passwd', join(home, 'tmp/d/link'))
    await panel.post(at('/files/mode'), { path: 'tmp/d/inner/b', mode: '0600' })
    panel.forget()
    expect(await copy('tmp/d', 'sites/d')).toMatchObject({ kind: 'files.copy', status: 'succeeded' })
    expect([panel.jobs(), panel.events()]).toEqual([['files.copy succeeded'], ['job.completed']])
    const copied = (await panel.get(at('/files?path=sites/d'))).body.items
    expect(copied).toMatchObject([
      { name: 'inner', type: 'directory', mode: '0755' },
      { name: 'link', target: '/etc/passwd' },
    ])
    expect((await panel.get(at('/files/stat?path=sites/d/inner/b'))).body).toMatchObject({ mode: '0600', size: 6 })
    expect((await read('sites/d/inner/b')).body).toBe('inside')
  })

  test('leaves nothing of a refused copy, and does not retry it', async () => {
    await put('tmp/a', 'x'.repeat(700_000))
    await put('tmp/b', 'x')
    await panel.patch(`/accounts/${alice.id}`, { disk_quota_mb: 1 })
    await panel.settle()
    expect(await copy('tmp/a', 'tmp/c')).toMatchObject({
      status: 'failed',
      error: 'The disk quota is used up.',
    })
    expect(readdirSync(join(home, '.panel/work'))).toEqual([])
    expect(readdirSync(join(home, 'tmp'))).toEqual(['a', 'b'])
  })

  test('cancels a waiting copy when its account is suspended', async () => {
    await put('tmp/a', 'x')
    await panel.panel.worker.stop()
    const { job_id } = (await panel.post(at('/files/copy'), { from: 'tmp/a', to: 'tmp/b' })).body
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    expect((await panel.get(`/jobs/${job_id}`)).body.job.status).toBe('cancelled')
  })
})

test('what was deleted 30 days ago is deleted for good', async () => {
  await put('tmp/old', 'x')
  await put('tmp/new', 'x')
  const { id } = (await panel.delete(at('/files?path=tmp/old'))).body.trash_item
  const about = join(home, '.trash', id, 'about.json')
  const deletedAt = panel.clock.now() - 31 * 24 * 3_600_000
  writeFileSync(about, JSON.stringify({ ...JSON.parse(readFileSync(about, 'utf8')), deletedAt }))
  const stored = (await panel.delete(at('/files?path=tmp/new'))).body.trash_item.id
  await panel.clock.leap(6 * 3_600_000)
  await soon(() => expect(readdirSync(join(home, '.trash'))).toEqual([stored]))
})

describe('calls to the host', () => {
  test('lets a caller without the feature read and delete, but change nothing', async () => {
    await put('tmp/a', 'x')
    await panel.patch(`/feature-lists/${alice.feature_list_id}`, { features: { file_manager: false } })
    expect((await put('tmp/a', 'y')).code).toBe('feature-disabled')
    expect((await panel.post(at('/files/directories'), { path: 'x' })).code).toBe('feature-disabled')
    expect((await read('tmp/a')).body).toBe('x')
    expect((await panel.delete(at('/files?path=tmp/a'))).status).toBe(200)
  })

  test('runs two streams per account at a time', async () => {
    await put('tmp/a', 'x'.repeat(3_000_000))
    const open = () =>
      panel.panel.app.fetch(new Request(`https://host.example/api/v1${at('/files/content?path=tmp/a')}`), {
        local: true,
      })
    const [one, two] = [await open(), await open()]
    expect(received(await read('tmp/a'))).toEqual([429, 'rate-limited', undefined])
    await Promise.all([one.body!.cancel(), two.arrayBuffer()])
    await soon(async () => expect((await read('tmp/a')).status).toBe(200))
  })

  test('ends a stream that is read too slowly', async () => {
    await put('tmp/a', 'x'.repeat(3_000_000))
    const url = `https://host.example/api/v1${at('/files/content?path=tmp/a')}`
    const slow = await panel.panel.app.fetch(new Request(url), { local: true })
    await panel.clock.advance(121_000)
    await expect(slow.text()).rejects.toThrow('The client read the response too slowly.')
  })

  test('refuses a body that arrives too slowly, and writes nothing of it', async () => {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from('slow')) })
    const init = { method: 'PUT', body, duplex: 'half', ...bytes }
    const url = `https://host.example/api/v1${at('/files/content?path=tmp/slow')}`
    const requests = panel.panel.app.fetch(new Request(url, init as RequestInit), { local: true })
    await soon(() => expect(readdirSync(join(home, '.panel/work'))).toHaveLength(1))
    await panel.clock.advance(121_000)
    const answer = await requests
    expect([answer.status, ((await answer.json()) as Json).fields]).toEqual([
      400,
      { body: expect.stringContaining('256 KiB') },
    ])
    expect([readdirSync(join(home, 'tmp')), readdirSync(join(home, '.panel/work'))]).toEqual([[], []])
  })

  test('answers 503 to a call that takes the host too long', async () => {
    const inUse = await startPanel({ driver: (root) => new SilentFiles(root) })
    const bob = await inUse.account('bob')
    const requests = inUse.get(`/accounts/${bob.id}/files`)
    await turns()
    await inUse.clock.advance(30_000)
    expect(received(await requests)).toEqual([503, 'overloaded', undefined])
  })

  test('refuses the fifth concurrent call of an account before it reaches the host', async () => {
    const inUse = await startPanel({ driver: (root) => new SilentFiles(root) })
    const bob = await inUse.account('bob')
    const requests = Array.from({ length: 5 }, () => inUse.get(`/accounts/${bob.id}/files`))
    await turns()
    await inUse.clock.advance(30_000)
    const codes = (await Promise.all(requests)).map(({ code }) => code)
    expect(codes).toEqual([...Array(4).fill('overloaded'), 'rate-limited'])
  })
})

/** Its file calls never return. */
class SilentFiles extends PausedDriver {
  constructor(root: string) {
    super(root)
    this.release()
  }
  override files: HostDriver['files'] = () => ({
    act: () => new Promise(() => {}),
    read: () => new Promise(() => {}),
    readLog: () => new Promise(() => {}),
    write: () => new Promise(() => {}),
    append: () => new Promise(() => {}),
  })
}

test('no file takes the place of a standard directory', async () => {
  expect(received(await put('.trash', 'x'))).toEqual([409, 'in-use', undefined])
  expect((await put('.trash2', 'x')).status).toBe(200)
  await panel.delete(at('/files?path=.trash2'))
  expect(statSync(join(home, '.trash')).isDirectory()).toBe(true)
})

test('a deletion fails where a file is in place of the trash', async () => {
  writeFileSync(join(home, '.trash'), '')
  await put('tmp/a', 'x')
  const refused = await panel.delete(at('/files?path=tmp/a'))
  expect([refused.code, refused.body.detail]).toEqual(['in-use', '.trash is not a directory: rename it.'])
  expect((await read('tmp/a')).status).toBe(200)
})
