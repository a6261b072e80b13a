import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { importCommands } from '../../src/host/contract/commands/imports.ts'
import { FileError } from '../../src/host/contract/error.ts'
import { accepts } from '../../src/host/contract/fields.ts'
import { Directory, holding } from '../../src/host/homes/home/directory.ts'
import { readSource } from '../../src/host/imports/read.ts'
import { unpackInto } from '../../src/host/imports/unpack.ts'
import { runs } from '../fuzz.ts'
import { below, cpmove, type Entry, inChunks, tarOf, wordpress } from '../imports/archives.ts'

const limits = { maxEntries: 1000, maxBytes: 10_000_000 }

const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** What other versions of a panel, scripts and hands make of a line. */
const numbers = ['0', '-1', '1e308', 'Infinity', 'NaN', '9'.repeat(30), '0x10', '']
const words = fc.oneof(
  fc.constantFrom(...numbers, '-', '- ', ': ', '"', "'", '|', '../..', '/', '@', '*', '\\', '%', '\r', '\t', '\0', 'ü'),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
type Edit = Readonly<{ file: number; line: number; word: string; how: 'after' | 'instead' | 'value' | 'cut' }>
const edit: fc.Arbitrary<Edit> = fc.record({
  file: fc.nat(99),
  line: fc.nat(40),
  word: words,
  how: fc.constantFrom('after', 'instead', 'value', 'cut'),
})

function edited(text: string, { line, word, how }: Edit): string {
  if (how === 'cut') return text.slice(0, Math.floor((text.length * line) / 40))
  const lines = text.split('\n')
  const at = line % lines.length
  const own = lines[at]!
  lines[at] = how === 'after' ? own + word : how === 'instead' ? word : own.replace(/([=:] *).*/, `$1${word}`)
  return lines.join('\n')
}

const account = wordpress()

function withEdits(edits: readonly Edit[]): Entry[] {
  const entries = [...account]
  const texts = entries.flatMap(({ content }, at) => (content === undefined ? [] : [at]))
  for (const one of edits) {
    const at = texts[one.file % texts.length]!
    entries[at] = { ...entries[at]!, content: edited(String(entries[at]!.content), one) }
  }
  return entries
}

test('any account that an archive describes is read as the contract says, or the archive is refused', async () => {
  const { result } = importCommands.readArchive
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), async (edits) => {
      const source = await readSource(inChunks(tarOf(below('cpmove-alice', withEdits(edits)))), limits)
      expect(accepts(result, JSON.parse(JSON.stringify(source)))).toBe(true)
    }),
    runs(40),
  )
})

test('numbers that are too large to be sizes or times mean no limit', async () => {
  const { result } = importCommands.readArchive
  const texts = account.flatMap(({ content }) => (content === undefined ? [] : [String(content)]))
  for (const [file, text] of texts.entries())
    for (const line of text.split('\n').keys()) {
      const edits: Edit[] = [{ file, line, word: '9'.repeat(30), how: 'value' }]
      const source = await readSource(inChunks(tarOf(below('cpmove-alice', withEdits(edits)))), limits)
      expect(accepts(result, JSON.parse(JSON.stringify(source))), JSON.stringify(edits)).toBe(true)
    }
})

test('a damaged archive is refused with a sentence', async () => {
  const intact = cpmove()
  const spoiled = fc.record({
    at: fc.nat(intact.length - 1),
    bytes: fc.uint8Array({ maxLength: 40 }),
    cut: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(spoiled, async ({ at, bytes, cut }) => {
      const archive = Buffer.from(intact)
      archive.set(bytes.subarray(0, archive.length - at), at)
      const error = await refusalOf(readSource(inChunks(cut ? archive.subarray(0, at) : archive), limits))
      if (error) expect(error).toBeInstanceOf(FileError)
    }),
    runs(60),
  )
})

const part = fc.constantFrom('homedir', 'public_html', 'mail', 'a', '..', '.', '', 'mysql', 'alice_wp.sql', 'ü')
const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'))
const target = fc.oneof(path, fc.constantFrom('/etc/passwd', '/home/alice/public_html', '../../../etc'))
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ path, content: fc.constantFrom('', 'x', 'y'.repeat(600)) }),
  fc.record({ path, isDirectory: fc.constant(true) }),
  fc.record({ path, link: target }),
  fc.record({ path, hard: target }),
)

const linksBelow = (dir: string): string[][] =>
  execFileSync('find', [dir, '-type', 'l', '-printf', '%P\t%l\\0'], { encoding: 'utf8' })
    .split('\0')
    .filter(Boolean)
    .map((line) => line.split('\t'))

test('any entries are unpacked below the home, with links that stay there, or refused', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'panel-import-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const into = join(dir, 'into')
  const request = {
    ...limits,
    path: '/x',
    dirs: [],
    id: 'x',
    uid: 20_001,
    homes: ['/home/alice'],
    roots: ['public_html'],
    mailboxes: [],
    databases: [{ from: 'alice_wp', to: 'alice_wp' }],
    without: [],
  }
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 8 }), async (entries) => {
      rmSync(into, { recursive: true, force: true })
      mkdirSync(into)
      const bytes = inChunks(tarOf(entries.map((one) => ({ ...one, path: `cpmove-alice/${one.path}` }))))
      const error = await refusalOf(holding(Directory.at(into), (home) => unpackInto(home, bytes, request)))
      if (error) expect(error).toBeInstanceOf(FileError)
      expect(readdirSync(dir)).toEqual(['into'])
      for (const [at, target] of linksBelow(into))
        expect(resolve(into, dirname(at!), target!)).toMatch(/\/into(?:\/|$)/)
    }),
    runs(60),
  )
})
