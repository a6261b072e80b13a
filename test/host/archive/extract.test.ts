import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
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
    expect(await unpack(archive)).toEqual({ files: 4, bytes: 8, warnings: [] })
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

  const leads = 'it names a path that leads out of it'
  const refusals: [string, string, Entry[]][] = [
    ['a path that leads out', leads, [{ path: '../x', content: 'x' }]],
    ['a path that leads out from within', leads, [{ path: 'a/../../x', content: 'x' }]],
  ]
  test.each(refusals)('refuses %s', async (_, reason, entries) => {
    const error = await errorOf(of({ path: 'first', content: 'first' }, ...entries))
    expect(error).toBe(`validation: The archive was refused: ${reason}.`)
    expect(readdirSync(dir).sort()).toEqual(['archive', 'into'])
  })

  const long = 'n'.repeat(256)
  const different = 'is in it twice, as different kinds, and was left out'
  const single: [string, Entry[], string[], string[]][] = [
    ['a device', [{ path: 'x', code: '3' }], ['x: is a device, a FIFO or of an unknown type, and was left out'], []],
    ['a FIFO', [{ path: 'd/x', code: '6' }], ['d/x: is a device, a FIFO or of an unknown type, and was left out'], []],
    [
      'a file below a file',
      [{ path: 'x', content: 'file' }, { path: 'x/y/z' }],
      ['x/y/z: is in a directory that is a file in it, too, and was left out'],
      ['x'],
    ],
    ['a directory and a file of one name', [{ path: 'x/', code: '5' }, { path: 'x' }], [`x: ${different}`], ['x']],
    ['a file and a directory of one name', [{ path: 'x' }, { path: 'x/', code: '5' }], [`x: ${different}`], ['x']],
    [
      'a link and a file of one name',
      [{ path: 'x', code: '2', target: 'y' }, { path: 'x' }],
      [`x: ${different}`],
      ['x'],
    ],
    [
      'a link with files below its name',
      [{ path: 'x', code: '2', target: '/etc' }, { path: 'x/passwd' }],
      [`x: ${different}`],
      ['x', 'x/passwd'],
    ],
    [
      'a deep directory',
      [{ path: `${'d/'.repeat(64)}x` }],
      [`${'d/'.repeat(64)}x: is more than 64 directories deep, and was left out`],
      [],
    ],
    ['a long name', [{ path: `d/${long}` }], [`d/${long}: has a name of more than 255 bytes, and was left out`], []],
    [
      'a long path',
      [{ path: `${`${'p'.repeat(200)}/`.repeat(25)}x` }],
      [`${'p'.repeat(200)}…${'p'.repeat(97)}/x: has a path of more than 4096 bytes, and was left out`],
      [],
    ],
  ]
  test.each(single)('leaves out and names %s, and unpacks the rest', async (_, entries, warnings, made) => {
    const done = await unpack(of({ path: 'first', content: '1' }, ...entries, { path: 'last/one', content: '2' }))
    expect(done.warnings).toEqual(warnings)
    expect(Object.keys(pictureOf(into))).toEqual(['first', 'last', 'last/one', ...made])
    expect(readFileSync(join(into, 'last/one'), 'utf8')).toBe('2')
  })

  const leftOut = (target: string) => `is a link that leads out of the archive, to ${target}, and was left out`
  const links: [string, Entry[], string[]][] = [
    ['an absolute link', [{ path: 'x', code: '2', target: '/etc' }], [`x: ${leftOut('/etc')}`]],
    ['a link that leads out', [{ path: 'd/x', code: '2', target: '../../etc' }], [`d/x: ${leftOut('../../etc')}`]],
    [
      'a link that leads out by way of others',
      [
        { path: 'd/x', code: '2', target: '..' },
        { path: 'y', code: '2', target: 'd/x/../z' },
      ],
      [`y: ${leftOut('d/x/../z')}`],
    ],
    [
      'a link that leads out by way of one that was left out',
      [
        { path: 'x', code: '2', target: '/etc' },
        { path: 'y', code: '2', target: 'x/passwd' },
      ],
      [`x: ${leftOut('/etc')}`, `y: ${leftOut('x/passwd')}`],
    ],
  ]
  test.each(links)('leaves out and names %s', async (_, entries, warnings) => {
    const done = await unpack(of({ path: 'first', content: 'first' }, ...entries))
    expect(done.warnings).toEqual(warnings)
    const left = warnings.map((line) => line.split(':')[0]!)
    const link = (name: string) => lstatSync(join(into, name), { throwIfNoEntry: false })?.isSymbolicLink() ?? false
    expect(entries.map(({ path }) => [path, link(path as string)])).toEqual(
      entries.map(({ path }) => [path, !left.includes(path as string)]),
    )
    expect(readFileSync(join(into, 'first'), 'utf8')).toBe('first')
  })

  test('an absolute link to what is in the archive becomes a relative one', async () => {
    const done = await unpack(
      of(
        { path: 'app/storage/public/a.jpg', content: 'x' },
        { path: 'app/public/storage', code: '2', target: '/home/old/app/storage/public' },
        { path: 'app/public/other', code: '2', target: '/home/old/app/../app/storage/public' },
      ),
    )
    expect(readlinkSync(join(into, 'app/public/storage'))).toBe('../storage/public')
    expect(readFileSync(join(into, 'app/public/storage/a.jpg'), 'utf8')).toBe('x')
    expect(done.warnings).toEqual([
      'app/public/storage: is a link to /home/old/app/storage/public, and became one to ../storage/public',
      `app/public/other: ${leftOut('/home/old/app/../app/storage/public')}`,
    ])
  })

  test('a directory may be listed any number of times, and the last modes count', async () => {
    const d = { path: 'd/', code: '5' }
    expect(await unpack(of(d, { path: 'd/a', content: '1' }, { ...d, mode: 0o750 }, d, { ...d, mode: 0o711 }))).toEqual(
      {
        files: 1,
        bytes: 1,
        warnings: [],
      },
    )
    expect(pictureOf(into)).toEqual({ d: '711/', 'd/a': '644 1' })
  })

  test('a slash at the start of a path is dropped', async () => {
    const done = await unpack(of({ path: '/site/a', content: '1' }, { path: '//b', content: '2' }))
    expect(pictureOf(into)).toEqual({ b: '644 2', site: '755/', 'site/a': '644 1' })
    expect(done.warnings).toEqual(['2 paths begin with "/", and became relative to the directory'])
  })

  test('a file may be listed again', async () => {
    const again = { path: 'x', content: 'same' }
    expect(await unpack(of(again, { ...again, path: './x' }))).toMatchObject({ files: 1 })
    expect(pictureOf(into)).toEqual({ x: '644 same' })
    empty()
    const other = of(again, { path: 'x', content: 'newer' })
    expect((await unpack(other)).warnings).toEqual(['x: is in it twice; the last one was unpacked'])
    expect(pictureOf(into)).toEqual({ x: '644 newer' })
  })

  test('a link may be listed again', async () => {
    const link = { path: 'l', code: '2', target: 'a' }
    await unpack(of({ path: 'a' }, link, link))
    expect(readlinkSync(join(into, 'l'))).toBe('a')
  })

  test('stops what would exceed the quota, zero bytes included', async () => {
    const archive = of({ path: 'a', content: 'x'.repeat(600) }, { path: 'b', content: Buffer.alloc(600) })
    expect(await errorOf(archive, { room: 1_199 })).toBe('limit-reached: The disk quota is used up.')
    empty()
    expect(await unpack(archive, { room: 1_200 })).toMatchObject({ files: 2, bytes: 1_200 })
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
    const again = { path: 'a', code: '1', target: 'a' }
    expect(
      await unpack(tarGzOf({ path: '/a', content: 'x' }, { path: 'd/b', code: '1', target: './a' }, again)),
    ).toEqual({
      files: 2,
      bytes: 1,
      warnings: ['1 path begins with "/", and became relative to the directory'],
    })
    expect(statSync(join(into, 'd/b')).ino).toBe(statSync(join(into, 'a')).ino)
    empty()
    for (const target of ['b', 'l', 'l/passwd', '/etc/passwd']) {
      const entries = [{ path: 'l', code: '2', target: 'b' }, { path: 'x', code: '1', target }, { path: 'y' }]
      expect(await unpack(tarGzOf(...entries))).toEqual({
        files: 2,
        bytes: 0,
        warnings: [`x: is a hard link to ${target}, which is not a file of the archive, and was left out`],
      })
      expect(readdirSync(into)).toEqual(['l', 'y'])
      empty()
    }
    expect(await errorOf(tarGzOf({ path: 'x', code: '1', target: '../../etc/passwd' }))).toContain('leads out of it')
  })

  test('refuses a NUL in a path or a link target', async () => {
    const received = (name: string, value: string) => {
      const text = ` ${name}=${value}\n`
      return { path: 'PaxHeader', code: 'x', content: `${text.length + 2}${text}` }
    }
    const path = tarGzOf(received('path', 'aaa\0b'), { path: 'x' })
    expect(await errorOf(path)).toContain('it names a path that leads out of it')
    const target = tarGzOf(received('linkpath', 'a\0b'), { path: 'x', code: '2' })
    expect((await unpack(target)).warnings).toEqual(['x: is a link to an invalid path, and was left out'])
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

  test('files with holes are unpacked, by each format of GNU tar, and count in full', async () => {
    const file = join(dir, 'sparse')
    writeFileSync(file, 'begin')
    for (let at = 1; at < 60; at += 2) writeAt(file, at * 100_000, `at ${at}`)
    truncateSync(file, 1024 ** 3)
    for (const words of [
      ['--format=gnu'],
      ...['0.0', '0.1', '1.0'].map((v) => ['--format=posix', `--sparse-version=${v}`]),
    ]) {
      execFileSync('tar', ['--sparse', ...words, '-czf', join(dir, 'made'), '-C', dir, 'sparse'])
      const bytes = readFileSync(join(dir, 'made'))
      expect(await unpack(bytes, { room: 2 * 1024 ** 3 }), words.join()).toMatchObject({ files: 1, bytes: 1024 ** 3 })
      execFileSync('cmp', [file, join(into, 'sparse')])
      expect(statSync(join(into, 'sparse')).blocks).toBeLessThan(10_000)
      empty()
      expect(await errorOf(bytes, { room: 1024 ** 3 - 1 })).toBe('limit-reached: The disk quota is used up.')
      empty()
    }
  })

  test('a map of holes that does not fit its file is damaged', async () => {
    const of = (...records: string[]) =>
      tarGzOf({ path: 'P', code: 'x', content: records.map(recordOf).join('') }, { path: 'x', content: 'abc' })
    const size = 'GNU.sparse.size=10'
    for (const map of ['0,4', '8,3', '5,2,4,1', '0,3,1', 'a,b', '-1,3', '0,3,9999999999999999,0'])
      expect(await errorOf(of(size, `GNU.sparse.map=${map}`)), map).toContain('damaged')
    expect(await errorOf(of('GNU.sparse.major=1', 'GNU.sparse.realsize=3'))).toContain('damaged')
    expect(await errorOf(of(size))).toContain('damaged')
    expect(await unpack(of(size, 'GNU.sparse.map=7,3'))).toMatchObject({ files: 1, bytes: 10 })
    expect(readFileSync(join(into, 'x'), 'latin1')).toBe(`${'\0'.repeat(7)}abc`)
  })

  test('labels and lists of incremental archives are no files', async () => {
    const from = join(dir, 'site')
    mkdirSync(join(from, 'in'), { recursive: true })
    writeFileSync(join(from, 'index.html'), 'x')
    for (const format of ['gnu', 'posix'])
      for (const word of [`--listed-incremental=${join(dir, format)}`, '--label=Backup of Monday']) {
        execFileSync('tar', [`--format=${format}`, '-czf', join(dir, 'made'), word, '-C', dir, 'site'])
        await unpack(readFileSync(join(dir, 'made')))
        expect(Object.keys(pictureOf(into)), `${format} ${word}`).toEqual(['site', 'site/in', 'site/index.html'])
        empty()
      }
  })
})

const recordOf = (text: string): string => {
  const rest = ` ${text}\n`
  let length = rest.length
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length
  return `${length}${rest}`
}

function writeAt(path: string, at: number, text: string): void {
  const file = openSync(path, 'r+')
  writeSync(file, text, at)
  closeSync(file)
}

describe.each([
  ['bzip2', []],
  ['xz', []],
  ['zstd', ['-q']],
  ['cat', []],
] as const)('a tar through %s', (program, words) => {
  test('is unpacked, and refused when cut', async () => {
    const bytes = execFileSync(program, words, { input: tarOf({ path: 'a', content: 'x'.repeat(70_000) }) })
    expect(await unpack(bytes)).toEqual({ files: 1, bytes: 70_000, warnings: [] })
    empty()
    expect(await errorOf(bytes.subarray(0, Math.ceil(bytes.length / 2)))).toContain('The archive is damaged')
  })
})

test('a 7z archive is unpacked by the same rules', async () => {
  mkdirSync(join(dir, 'from/d'), { recursive: true })
  writeFileSync(join(dir, 'from/d/a'), 'inside')
  writeFileSync(join(dir, 'from/ü'), 'name')
  symlinkSync('/etc/passwd', join(dir, 'from/l'))
  execFileSync('bsdtar', ['-cf', join(dir, 'made'), '--format', '7zip', '-C', join(dir, 'from'), 'd', 'ü', 'l'], {
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
  const bytes = readFileSync(join(dir, 'made'))
  expect((await unpack(bytes)).warnings).toEqual([
    `l: is a link that leads out of the archive, to /etc/passwd, and was left out`,
  ])
  expect(Object.keys(pictureOf(into))).toEqual(['d', 'd/a', 'ü'])
  empty()
  expect(await errorOf(bytes.subarray(0, 60))).toContain('The archive is damaged')
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
      'validation: The file is not an archive: zip, 7z, tar, or tar.gz, .bz2, .xz, .zst.',
    )
})

test('one packed file, and archives of other kinds, are refused with what they are', async () => {
  const onePacked = /^validation: The file is one packed file, and not an archive of files: unpack it with gunzip/
  for (const text of ['', 'short', 'SELECT 1;\n'.repeat(1000)]) expect(await errorOf(gzipSync(text))).toMatch(onePacked)
  const bzip2 = execFileSync('bzip2', ['-c'], { input: 'SELECT 1;' })
  expect(await errorOf(bzip2)).toContain('not an archive of files: unpack it with bunzip2')
  expect(await errorOf(Buffer.from('526172211a0701003392b5e5', 'hex'))).toBe(
    'validation: The file is a RAR archive, which cannot be read: pack the files as zip or tar.gz.',
  )
  expect(await errorOf(Buffer.from('504b070850', 'hex'))).toContain('part of a zip in several parts')
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
  expect(await unpack(await buffer(Readable.from(bytes)))).toMatchObject({ files: 1, bytes: 1 })
})
