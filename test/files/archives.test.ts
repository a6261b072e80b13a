import { randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { bombGz, bombZip } from '../host/archive/bombs.ts'
import { type Entry, tarGzOf, zipOf } from '../host/archive/made.ts'

let panel: TestPanel
let alice: Json
let home: string

beforeEach(async () => {
  panel = await startPanel()
  alice = await panel.account('alice')
  home = join(panel.dir, 'host/home/alice')
})

const at = (path: string): string => `/accounts/${alice.id}${path}`
const received = ({ status, code, body }: Reply): unknown[] => [status, code, body.fields]

/** Runs the job that an operation returns, and shows how it ended. */
async function ended(reply: Reply): Promise<Json> {
  expect(reply.status, JSON.stringify(reply.body)).toBe(202)
  await panel.settle()
  return (await panel.get(`/jobs/${reply.body.job_id}`)).body
}
const archive = async (body: object): Promise<Json> => ended(await panel.post(at('/files/archive'), body))
const extract = async (body: object): Promise<Json> => ended(await panel.post(at('/files/extract'), body))

/** The complete contents of a directory. */
const pictureOf = (root: string): Record<string, unknown> =>
  Object.fromEntries(
    (readdirSync(root, { recursive: true }) as string[]).sort().map((name) => {
      const stats = lstatSync(join(root, name))
      const mode = (stats.mode & 0o7777).toString(8)
      if (stats.isSymbolicLink()) return [name, readlinkSync(join(root, name))]
      return [name, stats.isDirectory() ? `${mode}/` : [mode, stats.ino, readFileSync(join(root, name), 'latin1')]]
    }),
  )
const textsOf = (root: string): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(pictureOf(root)).map(([name, what]) => [name, Array.isArray(what) ? [what[0], what[2]] : what]),
  )

describe.each(['zip', 'tar.gz', 'tar.zst'])('archive of the type %s', (format) => {
  test('packs and unpacks byte for byte, links as links', async () => {
    mkdirSync(join(home, 'tmp/site/inner'), { recursive: true })
    writeFileSync(join(home, 'tmp/site/inner/large'), Buffer.alloc(700_001, 'many bytes '), { mode: 0o600 })
    writeFileSync(join(home, 'tmp/site/run'), '#!/bin/sh\n', { mode: 0o755 })
    writeFileSync(join(home, 'tmp/site/nothing'), '')
    const odd = Buffer.from([0x66, 0xff, 0x0a])
    const oddIn = (path: string) => Buffer.concat([Buffer.from(join(home, path, '/')), odd])
    writeFileSync(oddIn('tmp/site'), 'odd')
    symlinkSync('inner/large', join(home, 'tmp/site/link'))
    panel.forget()
    const packed = await archive({ paths: ['tmp/site'], to: `tmp/site.${format}`, format })
    expect(packed.job).toMatchObject({ kind: 'files.archive', status: 'succeeded', attempts: 1 })
    expect(packed.log.at(-1).message).toMatch(/^5 files packed, \d+ bytes$/)
    expect([panel.jobs(), panel.events()]).toEqual([['files.archive succeeded'], ['job.completed']])
    const unpacked = await extract({ path: `tmp/site.${format}`, to: 'tmp/new' })
    expect(unpacked.job).toMatchObject({ kind: 'files.extract', status: 'succeeded' })
    expect(unpacked.log.at(-1).message).toBe('5 files unpacked, 700014 bytes')
    expect([panel.jobs(), panel.events()]).toEqual([['files.extract succeeded'], ['job.completed']])
    for (const path of ['tmp/site', 'tmp/new/site']) {
      expect(readFileSync(oddIn(path), 'utf8')).toBe('odd')
      unlinkSync(oddIn(path))
    }
    expect(textsOf(join(home, 'tmp/new/site'))).toEqual(textsOf(join(home, 'tmp/site')))
    expect(readdirSync(join(home, '.panel/work'))).toEqual([])
  })

  test('gives entries unique names, relative to the common parent of the packed files', async () => {
    for (const dir of ['a/b', 'a/c']) mkdirSync(join(home, 'tmp', dir), { recursive: true })
    writeFileSync(join(home, 'tmp/a/b/file'), 'b')
    writeFileSync(join(home, 'tmp/a/c/file'), 'c')
    const paths = ['tmp/a/b/file', 'tmp/a/c', '/tmp/a/c/file', 'tmp/a/c']
    expect((await archive({ paths, to: `made.${format}`, format })).job.status).toBe('succeeded')
    expect((await extract({ path: `made.${format}`, to: 'made' })).job.status).toBe('succeeded')
    expect(Object.keys(textsOf(join(home, 'made')))).toEqual(['b', 'b/file', 'c', 'c/file'])
  })
})

test('an archive of the whole home excludes the trash and unfinished files', async () => {
  writeFileSync(join(home, 'tmp/a'), 'a')
  await panel.delete(at('/files?path=tmp/a'))
  expect((await archive({ paths: [''], to: 'all.zip', format: 'zip' })).job.status).toBe('succeeded')
  await extract({ path: 'all.zip', to: 'all' })
  expect(readdirSync(join(home, 'all')).sort()).toEqual(['apps', 'mail', 'sites', 'tmp'])
})

test('an archive puts no file in place of the trash', async () => {
  mkdirSync(join(home, 'tmp/evil/in'), { recursive: true })
  writeFileSync(join(home, 'tmp/evil/.trash'), 'x')
  const made = await archive({ paths: ['tmp/evil/.trash', 'tmp/evil/in'], to: 'evil.zip', format: 'zip' })
  expect(made.job.status).toBe('succeeded')
  expect((await extract({ path: 'evil.zip', to: '' })).job).toMatchObject({
    status: 'failed',
    error: '.trash itself cannot be moved, deleted or changed.',
  })
  expect(readdirSync(home)).not.toContain('.trash')
  expect((await extract({ path: 'evil.zip', to: 'tmp' })).job.status).toBe('succeeded')
})

test('a refused archive leaves nothing, and is not retried', async () => {
  writeFileSync(join(home, 'tmp/a'), 'a')
  const refused = async (body: object) => (await archive({ format: 'zip', ...body })).job
  await panel.patch(`/accounts/${alice.id}`, { disk_quota_mb: 1 })
  await panel.settle()
  writeFileSync(join(home, 'tmp/random'), randomBytes(1_100_000))
  expect(await refused({ paths: ['tmp/random'], to: 'tmp/c' })).toMatchObject({
    status: 'failed',
    error: 'The disk quota is used up.',
  })
  expect(readdirSync(join(home, 'tmp')).sort()).toEqual(['a', 'random'])
  expect(readdirSync(join(home, '.panel/work'))).toEqual([])
})

describe('paths of a job', () => {
  test.each([
    ['archive', { paths: ['../x'], to: 'a', format: 'zip' }, 'paths'],
    ['archive', { paths: ['tmp'], to: 'a/../b', format: 'zip' }, 'to'],
    ['archive', { to: 'a', format: 'zip' }, 'paths'],
    ['archive', { paths: [], to: 'a', format: 'zip' }, 'paths'],
    ['archive', { paths: ['tmp'], paths_bytes: ['dG1w'], to: 'a', format: 'zip' }, 'paths_bytes'],
    ['archive', { paths: ['tmp'], to: 'a', format: 'rar' }, 'format'],
    ['extract', { path: '..', to: 'a' }, 'path'],
    ['extract', { path: 'a' }, 'to'],
    ['extract', { path: 'a', to: 'b\0' }, 'to'],
    ['copy', { from: 'a/../b', to: 'b' }, 'from'],
  ])('refuses an invalid path before a job starts: %s %j', async (operation, body, field) => {
    panel.forget()
    expect(received(await panel.post(at(`/files/${operation}`), body))).toEqual([
      400,
      'validation',
      { [field]: expect.any(String) },
    ])
    expect(panel.jobs()).toEqual([])
  })
})

describe('existing files', () => {
  const zip = { format: 'zip' }
  test.each<[string, object, number, string, string[]]>([
    ['copy', { from: 'tmp/none', to: 'tmp/new' }, 404, 'not-found', []],
    ['copy', { from: 'tmp/a', to: 'tmp/none/new' }, 404, 'not-found', []],
    ['copy', { from: 'tmp/link/a', to: 'tmp/new' }, 400, 'validation', ['from']],
    ['copy', { from: 'tmp/a', to: 'tmp/link/new' }, 400, 'validation', ['to']],
    ['copy', { from: 'tmp/dir', to: 'tmp/dir/inner' }, 400, 'validation', ['to']],
    ['copy', { from: 'tmp/a', to: 'tmp/dir' }, 409, 'exists', []],
    ['copy', { from: 'tmp/a', to: 'sites' }, 409, 'in-use', []],
    ['archive', { paths: ['tmp/a', 'tmp/none'], to: 'tmp/new', ...zip }, 404, 'not-found', []],
    ['archive', { paths: ['tmp/link/a'], to: 'tmp/new', ...zip }, 400, 'validation', ['paths']],
    ['archive', { paths: ['tmp/a'], to: 'tmp/a', ...zip }, 409, 'exists', []],
    ['extract', { path: 'tmp/none', to: 'tmp/new' }, 404, 'not-found', []],
    ['extract', { path: 'tmp/dir', to: 'tmp/new' }, 400, 'validation', ['path']],
    ['extract', { path: 'tmp/link', to: 'tmp/new' }, 400, 'validation', ['path']],
    ['extract', { path: 'tmp/link/a', to: 'tmp/new' }, 400, 'validation', ['path']],
    ['extract', { path: 'tmp/a', to: 'tmp/a' }, 409, 'exists', []],
    ['extract', { path: 'tmp/a', to: 'tmp/link' }, 400, 'validation', ['to']],
  ])('checks existing files before a job starts: %s %j', async (operation, body, status, code, fields) => {
    writeFileSync(join(home, 'tmp/a'), 'a')
    mkdirSync(join(home, 'tmp/dir'))
    symlinkSync('dir', join(home, 'tmp/link'))
    panel.forget()
    const reply = await panel.post(at(`/files/${operation}`), body)
    expect([reply.status, reply.code, Object.keys(reply.body.fields ?? {})]).toEqual([status, code, fields])
    await panel.settle()
    expect([panel.jobs(), panel.events()]).toEqual([[], []])
  })

  test('repeating a request with its key returns the same answer, even though the copy exists now', async () => {
    writeFileSync(join(home, 'tmp/a'), 'a')
    const headers = { 'Idempotency-Key': 'one' }
    const again = () => panel.post(at('/files/copy'), { from: 'tmp/a', to: 'tmp/b' }, { headers })
    const first = await again()
    await panel.settle()
    expect(readFileSync(join(home, 'tmp/b'), 'utf8')).toBe('a')
    const second = await again()
    expect([second.status, second.body]).toEqual([202, first.body])
  })
})

test('1,000 paths are packed at a time', async () => {
  const paths = (count: number) => Array.from({ length: count }, () => 'tmp')
  const more = await panel.post(at('/files/archive'), { paths: paths(1_001), to: 'a', format: 'zip' })
  expect(received(more)).toEqual([400, 'validation', { paths: expect.any(String) }])
  expect((await archive({ paths: paths(1_000), to: 'a', format: 'zip' })).job.status).toBe('succeeded')
})

describe('existing directory as the target', () => {
  const entries = [
    { path: 'd/a', content: 'new a' },
    { path: 'd/e/b', content: 'new b' },
  ]

  beforeEach(() => {
    mkdirSync(join(home, 'tmp/to/d'), { recursive: true })
    writeFileSync(join(home, 'tmp/to/d/older'), 'older')
    writeFileSync(join(home, 'tmp/site.zip'), zipOf(...entries))
  })

  test('an archive is unpacked next to what is in it', async () => {
    expect((await extract({ path: 'tmp/site.zip', to: 'tmp/to' })).job.status).toBe('succeeded')
    expect(textsOf(join(home, 'tmp/to/d'))).toEqual({
      a: ['644', 'new a'],
      e: '755/',
      'e/b': ['644', 'new b'],
      older: ['644', 'older'],
    })
  })

  test('files are replaced only on request, and directories never', async () => {
    writeFileSync(join(home, 'tmp/to/d/a'), 'old a')
    const before = pictureOf(home)
    const clash = (await extract({ path: 'tmp/site.zip', to: 'tmp/to' })).job
    expect(clash).toMatchObject({ status: 'failed', attempts: 1, error: 'd/a is there already.' })
    expect(pictureOf(home)).toEqual({ ...before, '.panel/work': '700/', '.panel': '700/' })
    expect((await extract({ path: 'tmp/site.zip', to: 'tmp/to', overwrite: true })).job.status).toBe('succeeded')
    expect(textsOf(join(home, 'tmp/to/d'))).toMatchObject({ a: ['644', 'new a'], older: ['644', 'older'] })
    const onFile = { path: 'tmp/site.zip', to: 'tmp/to/d/older', overwrite: true }
    expect(received(await panel.post(at('/files/extract'), onFile))).toEqual([409, 'exists', undefined])
    writeFileSync(join(home, 'tmp/site.zip'), zipOf({ path: 'd' }, { path: 'x' }))
    const onto = (await extract({ path: 'tmp/site.zip', to: 'tmp/to', overwrite: true })).job
    expect(onto).toMatchObject({ status: 'failed', error: 'd is there already.' })
    expect(existsSync(join(home, 'tmp/to/x'))).toBe(false)
    expect(readdirSync(join(home, '.panel/work'))).toEqual([])
  })

  test('nothing follows a link', async () => {
    mkdirSync(join(panel.dir, 'outside'))
    symlinkSync(join(panel.dir, 'outside'), join(home, 'tmp/link'))
    symlinkSync(join(panel.dir, 'outside'), join(home, 'tmp/to/d/e'))
    const over = { path: 'tmp/site.zip', overwrite: true }
    for (const to of ['tmp/link', 'tmp/link/new'])
      expect((await panel.post(at('/files/extract'), { ...over, to })).status, to).toBe(400)
    expect((await extract({ ...over, to: 'tmp/to' })).job.status).toBe('failed')
    expect(readdirSync(join(panel.dir, 'outside'))).toEqual([])
    expect(textsOf(join(home, 'tmp/to/d'))).toMatchObject({ older: ['644', 'older'], e: join(panel.dir, 'outside') })
  })
})

const hostile: [string, Entry[]][] = [['../x', [{ path: '../x', content: 'x' }]]]
const left: [string, Entry[]][] = [
  [
    'a link to /etc, then a file through it',
    [
      { path: 'l', code: '2', target: '/etc' },
      { path: 'l/panel-hostile', content: 'x' },
    ],
  ],
  ['a device', [{ path: 'x', code: '3' }]],
  ['a FIFO', [{ path: 'x', code: '6' }]],
]
const outs: [string, Entry[]][] = [
  ['a hard link out', [{ path: 'x', code: '1', target: '../sites/alice.example/public/index.html' }]],
]
const archives: [string, Buffer][] = [
  ...hostile.map(([name, entries]): [string, Buffer] => [`a zip with ${name}`, zipOf({ path: 'first' }, ...entries)]),
  ...[...hostile, ...outs].map(([name, entries]): [string, Buffer] => [
    `a tar with ${name}`,
    tarGzOf({ path: 'first' }, ...entries),
  ]),
]

test.each(archives)('%s fails, and nothing is left', async (_, bytes) => {
  writeFileSync(join(home, 'tmp/archive'), bytes)
  mkdirSync(join(home, '.panel/work'), { recursive: true, mode: 0o700 })
  const before = pictureOf(join(panel.dir, 'host/home'))
  panel.forget()
  const { job } = await extract({ path: 'tmp/archive', to: 'tmp/out', overwrite: true })
  expect(job).toMatchObject({
    status: 'failed',
    attempts: 1,
    error: expect.stringMatching(/^The archive was refused: /),
  })
  expect([panel.jobs(), panel.events()]).toEqual([['files.extract failed'], ['job.failed']])
  expect(pictureOf(join(panel.dir, 'host/home'))).toEqual(before)
  expect(existsSync('/tmp/panel-hostile-x')).toBe(false)
})

test.each([
  ...left.map(([name, entries]) => [`a zip with ${name}`, zipOf({ path: 'first' }, ...entries)] as const),
  ...[...left, ['a hard link to /etc/passwd', [{ path: 'x', code: '1', target: '/etc/passwd' }]] as const].map(
    ([name, entries]) => [`a tar with ${name}`, tarGzOf({ path: 'first' }, ...entries)] as const,
  ),
])('%s is unpacked without it, and nothing beside', async (_, bytes) => {
  writeFileSync(join(home, 'tmp/archive'), bytes)
  mkdirSync(join(home, '.panel/work'), { recursive: true, mode: 0o700 })
  const before = pictureOf(join(panel.dir, 'host/home'))
  const { job, log } = await extract({ path: 'tmp/archive', to: 'tmp/out' })
  expect(job).toMatchObject({ kind: 'files.extract', status: 'succeeded' })
  expect(log.map(({ message }: Json) => message)).toContainEqual(
    expect.stringMatching(/^[lx]: is .*, and was left out$/),
  )
  expect(lstatSync(join(home, 'tmp/out/x'), { throwIfNoEntry: false })).toBeUndefined()
  expect(lstatSync(join(home, 'tmp/out/l'), { throwIfNoEntry: false })?.isSymbolicLink()).not.toBe(true)
  rmSync(join(home, 'tmp/out'), { recursive: true })
  expect(pictureOf(join(panel.dir, 'host/home'))).toEqual(before)
  expect(existsSync('/etc/panel-hostile')).toBe(false)
})

test('what leads out is left out, in the log of the job; the rest is unpacked', async () => {
  const entries = [
    { path: '/tmp/panel-hostile-x', content: 'x' },
    { path: 'd/l', code: '2', target: '../../sites' },
    { path: 'd/e', code: '2', target: '/etc/passwd' },
  ]
  writeFileSync(join(home, 'tmp/archive'), tarGzOf(...entries))
  const { job, log } = await extract({ path: 'tmp/archive', to: 'tmp/out' })
  expect(job).toMatchObject({ kind: 'files.extract', status: 'succeeded' })
  expect(log.map(({ level, message }: Json) => [level, message]).slice(-4)).toEqual([
    ['warn', '1 path begins with "/", and became relative to the directory'],
    ['warn', 'd/l: is a link that leads out of the archive, to ../../sites, and was left out'],
    ['warn', 'd/e: is a link that leads out of the archive, to /etc/passwd, and was left out'],
    ['info', '1 file unpacked, 1 bytes'],
  ])
  expect(Object.keys(pictureOf(join(home, 'tmp/out')))).toEqual(['tmp', 'tmp/panel-hostile-x'])
  expect(existsSync('/tmp/panel-hostile-x')).toBe(false)
})

test('what is packed with links that lead out is unpacked without them', async () => {
  for (const format of ['zip', 'tar', 'tar.gz', 'tar.bz2', 'tar.xz', 'tar.zst']) {
    mkdirSync(join(home, 'tmp', format))
    writeFileSync(join(home, 'tmp', format, 'a'), 'a')
    symlinkSync(join(home, 'elsewhere'), join(home, 'tmp', format, 'storage'))
    const made = await archive({ paths: [`tmp/${format}`], to: `tmp/made.${format}`, format })
    expect(made.job.status).toBe('succeeded')
    const { job, log } = await extract({ path: `tmp/made.${format}`, to: `tmp/again.${format}` })
    expect([job.status, log.at(-2).message]).toEqual([
      'succeeded',
      `${format}/storage: is a link that leads out of the archive, to ${join(home, 'elsewhere')}, and was left out`,
    ])
    expect(Object.keys(pictureOf(join(home, 'tmp', `again.${format}`)))).toEqual([format, `${format}/a`])
  }
})

test('names of a zip in an encoding that is named', async () => {
  writeFileSync(join(home, 'tmp/made.zip'), zipOf({ path: Buffer.from([0xe9, 0x74, 0xe9]), system: 0 }))
  const body = { path: 'tmp/made.zip', to: 'tmp/new' }
  expect((await extract({ ...body, name_encoding: 'windows-1252' })).job.status).toBe('succeeded')
  expect(readdirSync(join(home, 'tmp/new'))).toEqual(['été'])
  const unknown = await panel.post(at('/files/extract'), { ...body, name_encoding: 'klingon' })
  expect(received(unknown)).toEqual([400, 'validation', { name_encoding: expect.any(String) }])
})

test('a message names the path that is missing or invalid', async () => {
  const messageOf = async (operation: string, body: object) => (await panel.post(at(`/files/${operation}`), body)).body
  const zip = { to: 'tmp/new', format: 'zip' }
  expect(await messageOf('archive', { paths: ['tmp', 'tmp/none/of it'], ...zip })).toMatchObject({
    detail: 'There is nothing at tmp/none.',
  })
  expect(await messageOf('copy', { from: 'tmp/none', to: 'tmp/b' })).toMatchObject({
    detail: 'There is nothing at tmp/none.',
  })
  const long = 'x'.repeat(256)
  expect((await messageOf('archive', { paths: ['tmp', `tmp/${long}`], ...zip })).fields.paths).toMatch(
    /^"tmp\/x{256}" must not contain a name of more than 255 bytes$/,
  )
})

test('setuid is dropped: 4755 becomes 0755', async () => {
  writeFileSync(join(home, 'tmp/a.zip'), zipOf({ path: 'x', mode: 0o4755 }))
  writeFileSync(
    join(home, 'tmp/a.tar.gz'),
    tarGzOf({ path: 'x', mode: 0o6755 }, { path: 'd/', code: '5', mode: 0o1777 }),
  )
  for (const name of ['a.zip', 'a.tar.gz']) {
    await extract({ path: `tmp/${name}`, to: `tmp/of-${name}` })
    expect((await panel.get(at(`/files/stat?path=tmp/of-${name}/x`))).body.mode).toBe('0755')
  }
  expect((await panel.get(at('/files/stat?path=tmp/of-a.tar.gz/d'))).body.mode).toBe('0777')
})

test.each([
  ['zip', bombZip],
  ['tar.gz', bombGz],
])('a bomb of 10 GiB in a %s is stopped at the quota, and nothing is left', async (_, bomb) => {
  await panel.patch(`/accounts/${alice.id}`, { disk_quota_mb: 20 })
  await panel.settle()
  writeFileSync(join(home, 'tmp/bomb'), bomb(10 * 1024 ** 3))
  const { job } = await extract({ path: 'tmp/bomb', to: 'tmp/out' })
  expect(job).toMatchObject({ status: 'failed', attempts: 1, error: 'The disk quota is used up.' })
  expect(readdirSync(join(home, 'tmp'))).toEqual(['bomb'])
  expect(readdirSync(join(home, '.panel/work'))).toEqual([])
})

test('a link to /etc/shadow is packed as a link, never as its target', async () => {
  symlinkSync('/etc/shadow', join(home, 'tmp/link'))
  for (const format of ['zip', 'tar.gz']) {
    expect((await archive({ paths: ['tmp/link'], to: `tmp/a.${format}`, format })).job.status).toBe('succeeded')
    expect(readFileSync(join(home, `tmp/a.${format}`), 'latin1')).not.toContain('root:')
    expect((await panel.post(at('/files/archive'), { paths: ['tmp/link/x'], to: 'tmp/b', format })).status).toBe(400)
    expect((await panel.post(at('/files/extract'), { path: 'tmp/link', to: 'tmp/out' })).status).toBe(400)
  }
  expect(existsSync(join(home, 'tmp/out'))).toBe(false)
})
