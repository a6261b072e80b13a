import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FileError } from '../../../src/host/contract/error.ts'
import type { ReadEntry } from '../../../src/host/homes/archive/entry.ts'
import { extract } from '../../../src/host/homes/archive/extract.ts'
import { keyOf, LinkBudget, leadsOut } from '../../../src/host/homes/archive/links.ts'
import { headerOf } from '../../../src/host/homes/archive/tar.ts'
import { tarEntries } from '../../../src/host/homes/archive/tar-read.ts'
import { Unpacker } from '../../../src/host/homes/archive/unpack.ts'
import { Directory, holding } from '../../../src/host/homes/home/directory.ts'
import { runs } from '../../fuzz.ts'
import { overlappingZip, tarOf, zipOf } from './made.ts'

const [KiB, MiB] = [1024, 1024 * 1024]

/** A header of this code with its body, without the archive's end. */
const part = (code: string, content: Buffer | string, path = 'h'): Buffer =>
  tarOf({ path, code, content }).subarray(0, -1024)

const record = (name: string, value: string): string => {
  const rest = ` ${name}=${value}\n`
  let length = rest.length
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length
  return `${length}${rest}`
}

/** Many records, each with a name of its own. */
const padding = (bytes: number, from = 0): string => {
  const one = (nth: number) => record(`k${String(nth).padStart(8, '0')}`, 'v')
  return Array.from({ length: Math.floor(bytes / one(0).length) }, (_, nth) => one(from + nth)).join('')
}

const errorOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'read',
    (error: Error) => (error instanceof FileError ? error.message : `not a fault: ${error.stack}`),
  )

/** Repeats blocks without an end, and counts what is taken of it. */
function endless(...blocks: readonly Buffer[]) {
  const taken = { bytes: 0 }
  const bytes = (async function* () {
    for (let nth = 0; ; nth++) {
      const block = blocks[Math.min(nth, blocks.length - 1)]!
      taken.bytes += block.length
      yield block
    }
  })()
  return { taken, bytes }
}

async function readAll(bytes: AsyncIterable<Buffer>): Promise<ReadEntry[]> {
  const entries: ReadEntry[] = []
  for await (const entry of tarEntries(bytes)) entries.push(entry)
  return entries
}

const read = (...blocks: readonly Buffer[]) => readAll(Readable.from([...blocks, Buffer.alloc(1024)]))

describe('headers without an end', () => {
  test.each(['x', 'g', 'L', 'K'])('refuses 17 headers of the type %s, or more than 1 MiB of them', async (code) => {
    const body = code === 'x' ? record('path', 'p') : 'name'
    const few = endless(part(code, body))
    const sentence = 'The archive was refused: an entry in it has more than 16 extended headers.'
    expect(await errorOf(readAll(few.bytes))).toBe(sentence)
    expect(few.taken.bytes).toBeLessThanOrEqual(18 * KiB)
    const large = endless(part(code, code === 'x' ? padding(600 * KiB) : 'n'.repeat(600).padEnd(600 * KiB, '\0')))
    expect(await errorOf(readAll(large.bytes))).toContain('the extended headers of an entry in it exceed 1 MiB')
    expect(large.taken.bytes).toBeLessThan(2 * MiB)
  })

  test('refuses endless headers whatever entries are between them', async () => {
    const file = part('0', '', 'f')
    const header = part('x', padding(1000 * KiB))
    const { taken, bytes } = endless(Buffer.concat([header, file]))
    expect(await errorOf(readAll(bytes))).toBe('The archive was refused: it consists mostly of extended headers.')
    expect(taken.bytes).toBeLessThan(4 * MiB)
  })

  test('accepts headers that other programs write', async () => {
    const header = part('x', record('mtime', '1.5') + record('SCHILY.xattr.user.x', 'v'.repeat(4000)))
    const entries = await read(...Array(1000).fill(Buffer.concat([header, part('0', '', 'f')])))
    expect(entries).toHaveLength(1000)
    expect(entries[0]).toMatchObject({ mtime: 1.5, size: 0 })
  })
})

test('the longest paths that the panel packs are read', async () => {
  const path = Buffer.from(Array(257).fill('n'.repeat(255)).join('/'))
  const entry = headerOf({ path, type: 'directory', mode: 0o755, mtime: 0, size: 0 })
  const entries = await read(...Array(100).fill(entry))
  expect(entries.map((one) => one.path.length)).toEqual(Array(100).fill(path.length + 1))
})

test('only the values that are used are kept, copied out of their header', async () => {
  const body = padding(500 * KiB) + record('path', 'p') + record('linkpath', 'q')
  const [entry] = await read(part('x', body), part('2', ''))
  expect(entry).toMatchObject({ path: Buffer.from('p'), target: Buffer.from('q') })
  expect(entry!.path.buffer.byteLength).toBeLessThanOrEqual(8 * KiB)
  expect(entry!.target!.buffer.byteLength).toBeLessThanOrEqual(8 * KiB)
})

test.each([
  ['a record without a value, before one that has one', `4 a\n4 b\n${record('path', 'p')}`],
  ['a length that ends before its name', `1 path=p\n`],
  ['a length beyond the header', `99 path=p\n`],
  ['a length that is not decimal', `0x9 path=p\n`],
  ['a length of many digits', `00000000009 path=p\n`],
  ['no length', ' path=p\n'],
  ['a size that is not decimal', record('size', '0x10')],
  ['a size with an exponent', record('size', '1e3')],
  ['a negative size', record('size', '-1')],
  ['an empty size', record('size', '')],
  ['a size beyond all numbers', record('size', '9'.repeat(16))],
])('treats %s as damaged', async (_, body) => {
  expect(await errorOf(read(part('x', body), part('0', 'abc')))).toBe('The archive is damaged: it cannot be read.')
})

test('a binary size below zero is damaged, one of many bytes is not read', async () => {
  for (const fill of [0xff, 0x80]) {
    const header = Buffer.from(part('0', ''))
    header.fill(0xff, 124, 136)
    header[124] = fill
    header.write('        ', 148)
    const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    expect(await errorOf(read(header))).toBe('The archive is damaged: it cannot be read.')
  }
})

test('a time that is none becomes 0, one too late the last', async () => {
  for (const [text, mtime] of [
    ['1e300', 0],
    ['-5', -5],
    ['x', 0],
    ['999999999999', 253_402_300_799],
  ] as const)
    expect((await read(part('x', record('mtime', text)), part('0', '')))[0]).toMatchObject({ mtime })
})

test('a path is at most as long as the panel packs', async () => {
  const sentence = 'The archive was refused: it contains a path of more than 65792 bytes: '
  for (const path of ['a'.repeat(257 * 256 + 1), '/'.repeat(900 * KiB)]) {
    expect(await errorOf(read(part('x', record('path', path)), part('0', '')))).toContain(sentence)
    expect(await errorOf(read(part('L', path), part('0', '')))).toContain(sentence)
    expect(await errorOf(read(part('K', path), part('2', '')))).toContain(sentence)
  }
})

/** An empty directory, with a file beside it. */
function place() {
  const dir = mkdtempSync(join(tmpdir(), 'panel-adversarial-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'into'))
  return { into: join(dir, 'into'), archive: join(dir, 'archive') }
}

const limits = { entries: 20, bytes: MiB, depth: 64 }
const unpack = (bytes: AsyncIterable<Buffer>, of = limits) => {
  const { into } = place()
  return holding(Directory.at(into), async (root) => {
    const unpacker = new Unpacker(root, { limits: of })
    await unpacker.unpack(tarEntries(bytes))
    return unpacker.warnings()
  })
}

describe('archive that is unpacked', () => {
  test("counts the archive's own directory each time it is named", async () => {
    const { taken, bytes } = endless(part('5', '', './'))
    expect(await errorOf(unpack(bytes))).toContain('it contains more than 20 entries')
    expect(taken.bytes).toBe(21 * 512)
  })

  test("refuses a file in place of the archive's own directory, unread", async () => {
    const { taken, bytes } = endless(part('0', Buffer.alloc(10 * KiB), '.'))
    expect(await errorOf(unpack(bytes))).toContain('it names a path that leads out of it')
    expect(taken.bytes).toBe(10 * KiB + 512)
  })

  test('paths and targets are at most 4096 bytes, and 64 MiB in all', async () => {
    const long = `${'a/'.repeat(2048)}a`
    const end = Buffer.alloc(1024)
    const visible = `${long.slice(0, 200)}…${long.slice(-99)}`
    expect(await unpack(Readable.from([part('L', long), part('0', ''), end]))).toEqual([
      `${visible}: has a path of more than 4096 bytes, and was left out`,
    ])
    expect(await unpack(Readable.from([part('K', long), part('2', '', 'l'), end]))).toEqual([
      'l: is a link to a path of more than 4095 bytes, and was left out',
    ])
    const names = (function* () {
      for (let nth = 0; ; nth++)
        yield Buffer.concat([part('L', `l${nth}`), part('K', 'x/'.repeat(2047)), part('2', '')])
    })()
    const many = { ...limits, entries: 100_000 }
    expect(await errorOf(unpack(Readable.from(names), many))).toContain('the names in it exceed 64 MiB')
  })

  test('entries that are left out count, too', async () => {
    for (const header of [part('6', ''), Buffer.concat([part('L', 'n'.repeat(300)), part('0', '')])]) {
      const { taken, bytes } = endless(header)
      expect(await errorOf(unpack(bytes))).toContain('it contains more than 20 entries')
      expect(taken.bytes).toBe(21 * header.length)
    }
  })

  test('zip entries that share their content are refused', async () => {
    const { into, archive } = place()
    writeFileSync(archive, overlappingZip(1000, Buffer.alloc(64 * KiB, 1)))
    const file = await open(archive)
    const done = holding(Directory.at(into), (root) => extract(file, root, { room: 100 * MiB }))
    expect(await errorOf(done.finally(() => file.close()))).toBe('The archive was refused: its entries overlap.')
  })
})

test('links that lead through many others count as leading out', () => {
  const deep = Array.from({ length: 60 }, (_, nth) => Buffer.from(`d${nth}`.padEnd(250, 'x')))
  const links = new Map<string, Buffer>()
  const paths = Array.from({ length: 2000 }, (_, nth) => [...deep, Buffer.from(`l${nth}`)])
  for (const path of paths) links.set(keyOf(path), Buffer.from('./a/../'.repeat(500)))
  let lookups = 0
  const counted = new Map(links)
  counted.get = (key) => {
    lookups += key.length
    return links.get(key)
  }
  const budget = new LinkBudget()
  expect(paths.some((path) => leadsOut(path, links.get(keyOf(path))!, counted, budget))).toBe(true)
  expect(lookups).toBeLessThanOrEqual(256 * MiB)
})

const name = fc.oneof(
  fc.constantFrom('path', 'linkpath', 'size', 'mtime', 'GNU.sparse.major', 'SCHILY.xattr.a', '__proto__'),
  fc.string({ maxLength: 300 }),
)
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('0', '-1', '1e9', '99999999999999999999', '../x'),
  fc.integer({ min: 0, max: 200_000 }).map((length) => 'a/'.repeat(length / 2)),
)
const records = fc
  .array(fc.tuple(name, value), { maxLength: 6 })
  .map((all) => all.map((one) => record(...one)).join(''))
const body = fc.oneof(
  records,
  fc.string({ unit: 'binary', maxLength: 2000 }),
  fc.integer({ min: 0, max: 1200 * KiB }).map((bytes) => padding(bytes)),
  fc.integer({ min: 0, max: 300_000 }).map((count) => '4 a\n'.repeat(count)),
)
const header = fc
  .tuple(fc.constantFrom(...'xgLK0125\0S7Z'), body, fc.option(fc.integer({ min: 0, max: 2 ** 33 - 1 })))
  .map(([code, content, size]) => {
    const path = 'p'
    return tarOf({ path, code, content, ...(size !== null && { size }) }).subarray(0, -1024)
  })

test('reads a bounded part of any headers repeated without end before an entry or a refusal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(header, { minLength: 1, maxLength: 6 }), async (blocks) => {
      const { taken, bytes } = endless(...blocks, Buffer.concat(blocks))
      const max = blocks.reduce((sum, { length }) => sum + length, 0)
      const entries = tarEntries(bytes)
      let [before, count] = [0, 0]
      const error = await errorOf(
        (async () => {
          for await (const entry of entries) {
            expect(entry.path.length).toBeLessThanOrEqual(257 * 256)
            expect(entry.path.buffer.byteLength).toBeLessThanOrEqual(257 * 256)
            expect(taken.bytes - before).toBeLessThanOrEqual(2 * MiB + 2 * max)
            // What an entry's content takes is its consumer's to bound.
            if (++count === 30 || entry.size > MiB) return
            for await (const _ of entry.content());
            before = taken.bytes
          }
        })(),
      )
      expect(error).toMatch(/^(?:read|The archive (?:is damaged|was refused): .*)$/)
      expect(taken.bytes - before).toBeLessThanOrEqual(3 * MiB + 20 * MiB + 2 * max)
    }),
    runs(200),
  )
})

test('a zip whose directory is changed anywhere is unpacked within its limits or refused', async () => {
  const { archive } = place()
  const full = zipOf({ path: 'a', content: 'abc' }, { path: 'b/c', content: 'd'.repeat(500) })
  const from = full.indexOf('PK\x01\x02')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: from, max: full.length - 1 }), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 6,
      }),
      async (changes) => {
        const changed = Buffer.from(full)
        for (const [at, byte] of changes) changed[at] = byte
        writeFileSync(archive, changed)
        const { into } = place()
        const file = await open(archive)
        const done = holding(Directory.at(into), (root) => extract(file, root, { room: 2000 }))
        expect(await errorOf(done.finally(() => file.close()))).toMatch(
          /^(?:read|The archive |The disk quota is used up)/,
        )
      },
    ),
    runs(200),
  )
})
