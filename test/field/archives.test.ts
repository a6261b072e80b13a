import { execFileSync } from 'node:child_process'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { FileError } from '../../src/host/contract/error.ts'
import { type Extraction, extract } from '../../src/host/homes/archive/extract.ts'
import { guess } from '../../src/host/homes/archive/zip-names.ts'
import { Directory, holding } from '../../src/host/homes/home/directory.ts'
import { runs } from '../fuzz.ts'
import { type Entry, tarGzOf, tarOf, zipOf } from '../host/archive/made.ts'
import { zipNames } from './zip-names.ts'

/** Archives as other people's programs write them, made here after their kinds. */

let dir: string
let into: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'panel-field-'))
  into = join(dir, 'into')
  mkdirSync(into)
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
})

async function unpack(bytes: Buffer, options: Extraction = {}) {
  writeFileSync(join(dir, 'archive'), bytes)
  const file = await open(join(dir, 'archive'))
  return holding(Directory.at(into), (directory) => extract(file, directory, options)).finally(() => file.close())
}

const names = (): string[] => (readdirSync(into, { recursive: true }) as string[]).sort()

const parentsOf = (path: string): string[] => path.split('/').map((_, at, all) => all.slice(0, at + 1).join('/'))
const withParents = (paths: readonly string[]): string[] => [...new Set(paths.flatMap(parentsOf))].sort()

describe.each(Object.entries(zipNames))('names that Windows writes in %s', (encoding, known) => {
  const bytes = known.map(([, hex]) => Buffer.from(hex, 'hex'))
  const texts = known.map(([text]) => text)

  test('are recognized', async () => {
    expect(guess(Buffer.concat(bytes))).toBe(encoding === 'none' ? undefined : encoding)
    await unpack(zipOf(...bytes.map((path) => ({ path, system: 0, content: 'x' }))))
    expect(names()).toEqual(withParents(texts))
  })

  test('are read as the caller says', async () => {
    const nameEncoding = encoding === 'none' ? 'windows-1252' : (encoding as 'gbk')
    await unpack(zipOf({ path: bytes[0]!, system: 0 }, { path: bytes[1]!, system: 3 }), { nameEncoding })
    if (encoding !== 'none') expect(names()).toEqual(withParents(texts.slice(0, 2)))
  })
})

test('a backslash separates in names without a slash alone', async () => {
  const windows = (path: string): Entry => ({ path, system: 0, content: 'x' })
  await unpack(zipOf(windows('site\\index.html'), windows('site\\img\\a.png'), windows('b/c\\d'), windows('C:/e\\f')))
  expect(names()).toEqual(['b', 'b/c\\d', 'e\\f', 'site', 'site/img', 'site/img/a.png', 'site/index.html'])
})

test('names on Unix keep their backslashes and bytes', async () => {
  await unpack(zipOf({ path: 'a\\b', system: 3 }, { path: Buffer.from([0x66, 0xff]), system: 3 }))
  expect(readdirSync(Buffer.from(into), { encoding: 'latin1' }).sort()).toEqual(['a\\b', 'f\xff'])
})

test('the tar of macOS writes holes without being asked, and notes beside files', async () => {
  mkdirSync(join(dir, 'dump'))
  writeFileSync(join(dir, 'dump/cache.db'), '')
  truncateSync(join(dir, 'dump/cache.db'), 5_000_000)
  writeFileSync(join(dir, 'dump/._cache.db'), 'Mac OS X')
  execFileSync('bsdtar', ['-czf', join(dir, 'made.tgz'), '-C', dir, 'dump'])
  const file = await open(join(dir, 'made.tgz'))
  await holding(Directory.at(into), (directory) => extract(file, directory)).finally(() => file.close())
  expect(names()).toEqual(['dump', 'dump/._cache.db', 'dump/cache.db'])
  expect(lstatSync(join(into, 'dump/cache.db')).size).toBe(5_000_000)
})

test('an archive appended to with tar -r holds the newest of each file', async () => {
  writeFileSync(join(dir, 'a'), 'old')
  execFileSync('tar', ['-cf', join(dir, 'made.tar'), '-C', dir, 'a'])
  writeFileSync(join(dir, 'a'), 'new text')
  execFileSync('tar', ['-rf', join(dir, 'made.tar'), '-C', dir, 'a'])
  const file = await open(join(dir, 'made.tar'))
  const done = await holding(Directory.at(into), (directory) => extract(file, directory)).finally(() => file.close())
  expect(done.warnings).toEqual(['a: is in it twice; the last one was unpacked'])
  expect(lstatSync(join(into, 'a')).size).toBe(8)
})

test('a tar of a running server with a FIFO and a hard link whose file was taken out is unpacked without them', async () => {
  mkdirSync(join(dir, 'run'))
  execFileSync('mkfifo', [join(dir, 'run/control')])
  writeFileSync(join(dir, 'run/a'), 'one')
  linkSync(join(dir, 'run/a'), join(dir, 'run/b'))
  writeFileSync(join(dir, 'run/index.html'), 'x')
  execFileSync('tar', ['-cf', join(dir, 'made.tar'), '-C', dir, 'run/a', 'run/b', 'run/control', 'run/index.html'])
  execFileSync('tar', ['--delete', '-f', join(dir, 'made.tar'), 'run/a'])
  const file = await open(join(dir, 'made.tar'))
  const done = await holding(Directory.at(into), (directory) => extract(file, directory)).finally(() => file.close())
  expect(done.warnings).toEqual([
    'run/control: is a device, a FIFO or of an unknown type, and was left out',
    'run/b: is a hard link to run/a, which is not a file of the archive, and was left out',
  ])
  expect(names()).toEqual(['run', 'run/index.html'])
})

test('of two files of one name in a zip the last one counts', async () => {
  const done = await unpack(zipOf({ path: 'a', content: 'old' }, { path: 'b' }, { path: 'a', content: 'new' }))
  expect(done.warnings).toEqual(['a: is in it twice; the last one was unpacked'])
  expect(readFileSync(join(into, 'a'), 'utf8')).toBe('new')
})

test('release tarballs with links of their former machine are unpacked, each link named', async () => {
  mkdirSync(join(dir, 'app/releases/3/public'), { recursive: true })
  symlinkSync('/var/www/app/releases/3', join(dir, 'app/current'))
  symlinkSync('/var/www/shared/uploads', join(dir, 'app/releases/3/public/uploads'))
  execFileSync('tar', ['-czPf', join(dir, 'made.tgz'), '-C', dir, 'app'])
  const file = await open(join(dir, 'made.tgz'))
  const done = await holding(Directory.at(into), (directory) => extract(file, directory)).finally(() => file.close())
  expect(done.warnings).toEqual([
    'app/current: is a link to /var/www/app/releases/3, and became one to releases/3',
    'app/releases/3/public/uploads: is a link that leads out of the archive, to /var/www/shared/uploads, and was left out',
  ])
  expect(lstatSync(join(into, 'app/current')).isSymbolicLink()).toBe(true)
  expect(readdirSync(join(into, 'app/releases/3/public'))).toEqual([])
})

const part = fc.constantFrom('a', 'b', 'c', '..', '.', '', 'C:', 'x'.repeat(300), 'ü', '\\')
const path = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'))
const entry: fc.Arbitrary<Entry> = fc.record({
  path: fc.oneof(
    path,
    fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  ),
  code: fc.constantFrom('0', '2', '5'),
  target: path,
  content: fc.constantFrom('', 'x', 'y'.repeat(600)),
  system: fc.constantFrom(0, 3),
})

describe.each([
  ['tar', tarGzOf],
  ['zip', zipOf],
] as const)('any entries in a %s', (_, of) => {
  test('are unpacked below the directory, with links that stay there, or refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 8 }), async (entries) => {
        rmSync(into, { recursive: true })
        mkdirSync(into)
        const bytes = of(
          ...entries.map(({ target, content, ...rest }) =>
            rest.code === '2' ? { ...rest, target: target! } : { ...rest, content: rest.code === '0' ? content! : '' },
          ),
        )
        const error = await unpack(bytes).then(
          () => undefined,
          (error: unknown) => error,
        )
        if (error) expect(error).toBeInstanceOf(FileError)
        expect(readdirSync(dir).sort()).toEqual(['archive', 'into'])
        const targets = execFileSync('find', [into, '-type', 'l', '-printf', '%l\\0'], { encoding: 'latin1' })
        for (const target of targets.split('\0')) expect(target).not.toMatch(/^\//)
      }),
      runs(150),
    )
  })
})

test('any bytes after a plausible beginning are refused with a sentence', async () => {
  const starts = ['504b0304', '1f8b08', '28b52ffd', '425a6839', 'fd377a585a0000', '377abcaf271c0004', '']
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 2000 }), async (start, bytes) => {
      const error = await unpack(Buffer.concat([Buffer.from(start, 'hex'), bytes])).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(FileError)
    }),
    runs(60),
  )
})

test('accepts an empty tar', async () => {
  expect(await unpack(tarGzOf())).toEqual({ files: 0, bytes: 0, warnings: [] })
  expect(tarOf().length).toBe(1024)
})
