import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { compress, through } from '../../../src/host/homes/archive/compress.ts'
import { type Extraction, extract } from '../../../src/host/homes/archive/extract.ts'
import { tarEntries } from '../../../src/host/homes/archive/tar-read.ts'
import { Unpacker } from '../../../src/host/homes/archive/unpack.ts'
import { Directory, holding } from '../../../src/host/homes/home/directory.ts'
import { type Entry, tarGzOf, tarOf, zipOf } from './made.ts'

let dir: string
let into: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'panel-extract-'))
  into = join(dir, 'into')
  mkdirSync(into)
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
})

async function unpack(bytes: Buffer, options: Extraction = {}) {
  writeFileSync(join(dir, 'archive'), bytes)
  const file = await open(join(dir, 'archive'))
  try {
    return await holding(Directory.at(into), (directory) => extract(file, directory, options))
  } finally {
    await file.close()
  }
}

function empty(): void {
  rmSync(into, { recursive: true })
  mkdirSync(into)
}

const errorOf = (bytes: Buffer, options?: Extraction): Promise<string> =>
  unpack(bytes, options).then(
    () => 'it was unpacked',
    (error: Error & { reason?: string }) => `${error.reason}: ${error.message}`,
  )

/** The contents of a directory: modes, texts and link targets. */
const pictureOf = (root: string): Record<string, unknown> =>
  Object.fromEntries(
    (readdirSync(root, { recursive: true }) as string[]).sort().map((name) => {
      const stats = lstatSync(join(root, name))
      const mode = (stats.mode & 0o7777).toString(8)
      if (stats.isSymbolicLink()) return [name, readlinkSync(join(root, name))]
      return [name, stats.isDirectory() ? `${mode}/` : `${mode} ${readFileSync(join(root, name), 'utf8')}`]
    }),
  )

const formats: [string, (...entries: Entry[]) => Buffer][] = [
  ['tar.gz', tarGzOf],
  ['zip', zipOf],
]

describe.each(formats)('unpacking a %s', (format, of) => {
  test('files, directories and links are created with their modes', async () => {
    const archive = of(
      { path: './', code: '5', mode: 0o700 },
      { path: 'a/b/file', content: 'inside', mode: 0o640 },
      { path: 'a/', code: '5', mode: 0o750 },
      { path: './run', content: '#!', mode: 0o4755 },
      { path: 'a/link', code: '2', target: '../run' },
      { path: 'empty', code: '0' },
    )
    expect(await unpack(archive)).toEqual({ files: 4, bytes: 8 })
    expect(pictureOf(into)).toEqual({
      a: '750/',
      'a/b': '755/',
      'a/b/file': '640 inside',
      'a/link': '../run',
      empty: '644 ',
      run: '755 #!',
    })
    expect(statSync(join(into, 'run')).mode & 0o7777).toBe(0o755)
  })

  const device = 'it contains a device, a FIFO, or another entry that is not a file, a directory or a link'
  const leads = 'it names a path that is absolute or leads out of it'
  const refusals: [string, string, Entry[]][] = [
    ['a path that leads out', leads, [{ path: '../x', content: 'x' }]],
    ['a path that leads out from within', leads, [{ path: 'a/../../x', content: 'x' }]],
    ['an absolute path', leads, [{ path: '/x', content: 'x' }]],
    ['a name twice', 'x is in it twice', [{ path: 'x' }, { path: './x' }]],
    [
      'a directory twice',
      'd is in it twice',
      [
        { path: 'd/', code: '5' },
        { path: 'd/', code: '5' },
      ],
    ],
    ['a file as a directory', 'x/y is a file and a directory in it', [{ path: 'x' }, { path: 'x/y/z' }]],
    ['a link and a file of one name', 'x is in it twice', [{ path: 'x', code: '2', target: 'y' }, { path: 'x' }]],
    ['an absolute link', 'x is a link that leads out of it', [{ path: 'x', code: '2', target: '/etc' }]],
    ['a link that leads out', 'd/x is a link that leads out of it', [{ path: 'd/x', code: '2', target: '../../etc' }]],
    [
      'a link that leads out by way of others',
      'y is a link that leads out of it',
      [
        { path: 'd/x', code: '2', target: '..' },
        { path: 'y', code: '2', target: 'd/x/../z' },
      ],
    ],
    [
      'a file through a link',
      'x is a link that leads out of it',
      [{ path: 'x', code: '2', target: '/etc' }, { path: 'x/passwd' }],
    ],
    ['a device', device, [{ path: 'x', code: '3' }]],
    ['a FIFO', device, [{ path: 'x', code: '6' }]],
    ['a deep directory', 'its directories are too deep', [{ path: `${'d/'.repeat(64)}x` }]],
  ]
  test.each(refusals)('refuses %s', async (_, reason, entries) => {
    const fault = await errorOf(of({ path: 'first', content: 'first' }, ...entries))
    expect(fault).toBe(`validation: The archive was refused: ${reason}.`)
    expect(readdirSync(dir).sort()).toEqual(['archive', 'into'])
  })

  test('stops what would exceed the quota, zero bytes included', async () => {
    const archive = of({ path: 'a', content: 'x'.repeat(600) }, { path: 'b', content: Buffer.alloc(600) })
    expect(await errorOf(archive, { room: 1_199 })).toBe('limit-reached: The disk quota is used up.')
    empty()
    expect(await unpack(archive, { room: 1_200 })).toEqual({ files: 2, bytes: 1_200 })
  })

  test('reports a truncated or corrupted archive as damaged', async () => {
    const archive = of({ path: 'a', content: 'x'.repeat(5_000) })
    const cut = await errorOf(archive.subarray(0, archive.length - 30))
    expect(cut).toBe('validation: The archive is damaged: it cannot be read.')
    const changed = Buffer.from(archive)
    changed[changed.indexOf(format === 'zip' ? 'xxx' : archive.subarray(15, 18)) + 2]! ^= 0x41
    empty()
    expect(await errorOf(changed)).toBe('validation: The archive is damaged: it cannot be read.')
  })
})

test('implied directories count as entries', async () => {
  const limits = { entries: 3, bytes: 10, depth: 10 }
  const entries = tarEntries(Readable.from([tarOf({ path: 'a/b/c' }, { path: 'a/b/d' })]))
  await holding(Directory.at(into), async (root) => {
    await expect(new Unpacker(root, { limits }).unpack(entries)).rejects.toThrow('it contains more than 3 entries')
  })
})

describe('unpacking a tar', () => {
  test('too many entries are refused', async () => {
    const entry = tarOf({ path: 'x', code: '2', target: 'y' }).subarray(0, 512)
    const many = gzipSync(Buffer.concat([...Array(100_001).fill(entry), Buffer.alloc(1024)]))
    expect(await errorOf(many)).toBe('validation: The archive was refused: it contains more than 100000 entries.')
  })

  test('a hard link may only point to a file of the archive', async () => {
    expect(await unpack(tarGzOf({ path: 'a', content: 'x' }, { path: 'd/b', code: '1', target: './a' }))).toEqual({
      files: 2,
      bytes: 1,
    })
    expect(statSync(join(into, 'd/b')).ino).toBe(statSync(join(into, 'a')).ino)
    empty()
    const unreachable = 'x is a hard link to what is not a file of the archive'
    for (const target of ['b', 'l', 'l/passwd'])
      expect(await errorOf(tarGzOf({ path: 'l', code: '2', target: 'b' }, { path: 'x', code: '1', target }))).toBe(
        `validation: The archive was refused: ${unreachable}.`,
      )
    for (const target of ['/etc/passwd', '../../etc/passwd'])
      expect(await errorOf(tarGzOf({ path: 'x', code: '1', target }))).toContain('absolute or leads out of it')
  })

  test('refuses a NUL in a path or a link target', async () => {
    const received = (name: string, value: string) => {
      const text = ` ${name}=${value}\n`
      return { path: 'PaxHeader', code: 'x', content: `${text.length + 2}${text}` }
    }
    const path = tarGzOf(received('path', 'aaa\0b'), { path: 'x' })
    expect(await errorOf(path)).toContain('absolute or leads out of it')
    const target = tarGzOf(received('linkpath', 'a\0b'), { path: 'x', code: '2' })
    expect(await errorOf(target)).toContain('x is a link to an invalid path')
  })

  test('extended headers must be short', async () => {
    const archive = gzipSync(tarOf({ path: 'x', code: 'x', size: 0o77777777777 }))
    expect(await errorOf(archive)).toContain('the extended headers of an entry in it exceed 1 MiB')
  })

  test('archives of other programs are read', async () => {
    const from = join(dir, 'from')
    const long = `${'long'.repeat(20)}/${'name'.repeat(24)}`
    mkdirSync(join(from, 'long'.repeat(20)), { recursive: true })
    writeFileSync(join(from, long), 'long')
    writeFileSync(join(from, 'a'), 'a', { mode: 0o600 })
    linkSync(join(from, 'a'), join(from, 'b'))
    symlinkSync(long, join(from, 'link'))
    chmodSync(from, 0o755)
    for (const format of ['gnu', 'posix', 'ustar']) {
      const file = join(dir, 'made')
      if (format === 'ustar') rmSync(join(from, 'link'))
      execFileSync('tar', [`--format=${format}`, '-czf', file, '-C', from, '.'])
      await unpack(readFileSync(file))
      expect(pictureOf(into), format).toEqual(pictureOf(from))
      empty()
    }
  })

  test('refuses a tar made with --sparse', async () => {
    writeFileSync(join(dir, 'sparse'), '')
    truncateSync(join(dir, 'sparse'), 10 * 1024 ** 3)
    for (const format of ['gnu', 'posix']) {
      execFileSync('tar', ['--sparse', `--format=${format}`, '-czf', join(dir, 'made'), '-C', dir, 'sparse'])
      expect(await errorOf(readFileSync(join(dir, 'made')))).toContain('it was made with the option --sparse')
    }
  })
})

describe('unpacking a zip', () => {
  test('wrong sizes are detected', async () => {
    expect(await errorOf(zipOf({ path: 'x', content: 'xxx', size: 2 }))).toContain('damaged')
  })

  test('DOS names are accepted', async () => {
    await unpack(zipOf({ path: Buffer.from([0x81, 0x5c, 0x78]), system: 0 }))
    expect(pictureOf(into)).toEqual({ ü: '755/', 'ü/x': '644 ' })
  })
})

test('a file that is not an archive is refused', async () => {
  for (const bytes of ['', 'PK', 'text', '7z\xbc\xaf'])
    expect(await errorOf(Buffer.from(bytes, 'latin1'))).toBe(
      'validation: The file is not a zip, tar.gz or tar.zst archive.',
    )
})

test('an archive with any byte changed is unpacked inside the target or refused', async () => {
  const entries = [
    { path: 'd/a', content: 'inside' },
    { path: 'd/l', code: '2', target: 'a' },
    { path: 'e/', code: '5' },
  ]
  const full = [zipOf(...entries), tarOf(...entries)]
  for (const [nth, bytes] of full.entries())
    for (let at = 0; at < bytes.length; at += nth === 0 ? 1 : 15) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1 << (at % 8)
      const reason = await errorOf(nth === 0 ? changed : gzipSync(changed, { level: 1 }))
      expect(reason, `byte ${at}`).toMatch(/^(?:validation: |limit-reached: |it was unpacked)/)
      expect(readdirSync(dir).sort()).toEqual(['archive', 'into'])
      empty()
    }
})

test('a tar.zst is unpacked', async () => {
  const bytes = through(Readable.from([tarOf({ path: 'a', content: 'x' })]) as AsyncIterable<Buffer>, compress('zstd'))
  expect(await unpack(await buffer(Readable.from(bytes)))).toEqual({ files: 1, bytes: 1 })
})
