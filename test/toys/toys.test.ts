import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type * as tables from '../../src/generate/table.ts'
import type * as harness from '../harness.ts'
import type * as world from '../world.ts'
import { added, entries, Tree } from './tree.ts'

const tree = new Tree()
afterAll(() => rmSync(tree.dir, { recursive: true, force: true }))
const load = <M>(path: string): Promise<M> => import(join(tree.dir, path))

beforeAll(() => {
  for (const [path, text] of Object.entries(added)) tree.write(path, text)
  for (const path of Object.keys(entries)) tree.enter(path)
})

test('a new area is its contract, its folder, its host part, an entry in each list, and its tests', () => {
  const shared = Object.entries(entries).map(([path, lines]) => [
    path,
    lines
      .map(([line]) => line.trim())
      .join('\n')
      .split('\n').length,
  ])
  expect(Object.fromEntries(shared)).toEqual({
    'src/contract/index.ts': 2,
    'src/contract/areas.ts': 1,
    'src/areas/index.ts': 2,
    'src/host/parts/index.ts': 2,
    'test/matrix/expected.ts': 5,
  })
})

/** The list of areas as it would be where a part of one is left out, all in one compilation. */
const lists: Readonly<Record<string, string>> = {
  area: '',
  handlers: toysWithout(/, deleteToy(?= })/),
  finders: toysWithout(/ {2}finders: .*\n/),
  host: toysWithout(/ {2}ofAccount: .*\n/),
}

function toysWithout(part: RegExp): string {
  const [index, operations] = ['src/areas/toys/index.ts', 'src/areas/toys/operations.ts'].map((path) => added[path]!)
  const [less, handlers] = [index!.replace(part, ''), operations!.replace(part, '')]
  if (less === index && handlers === operations) throw new Error(`${part} leaves nothing out`)
  return less === index ? handlers : less
}

function leaveOut(): void {
  for (const [part, text] of Object.entries(lists)) {
    const list = tree.read('src/areas/index.ts')
    const named = part === 'handlers' ? 'operations' : 'index'
    if (text) tree.write(`src/areas/toys/${named}-without-${part}.ts`, text)
    if (part === 'handlers')
      tree.write(
        'src/areas/toys/index-without-handlers.ts',
        added['src/areas/toys/index.ts']!.replace('./operations.ts', './operations-without-handlers.ts'),
      )
    const less = text
      ? list.replace('./toys/index.ts', `./toys/index-without-${part}.ts`)
      : tree.without('src/areas/index.ts')
    tree.write(`src/areas/without-${part}.ts`, less)
  }
}

describe('the compiler', () => {
  test('accepts the whole, and names the list if a part is missing', { timeout: 60_000 }, async () => {
    leaveOut()
    const errors = await tree.errors()
    const files = Object.keys(lists).map((part) => `src/areas/without-${part}.ts`)
    const others = [...errors].filter(([file]) => !files.includes(file) && !file.includes('-without-'))
    expect(others).toEqual([])
    for (const file of files) expect(errors.get(file), file).toBeDefined()
    expect(errors.get('src/areas/without-area.ts')).toContain('listToys')
    expect(errors.get('src/areas/without-handlers.ts')).toContain('deleteToy')
    expect(errors.get('src/areas/without-finders.ts')).toContain('/accounts/{id}/toys/{toy}')
    expect(errors.get('src/areas/without-host.ts')).toContain("'toys'")
    for (const part of Object.keys(lists)) rmSync(join(tree.dir, `src/areas/without-${part}.ts`))
  })

  test('misses its lines in the lists of the contract, of tags and of the host', { timeout: 60_000 }, async () => {
    const lines = ['src/contract/index.ts', 'src/contract/areas.ts', 'src/host/parts/index.ts']
    const full = lines.map((path) => [path, tree.read(path)] as const)
    for (const path of lines) tree.write(path, tree.without(path))
    const errors = await tree.errors()
    for (const [path, text] of full) tree.write(path, text)
    expect(errors.get('src/areas/index.ts')).toContain('Toy')
    expect(errors.get('src/contract/toys.ts')).toContain('"toys"')
    expect(errors.get('src/areas/toys/index.ts')).toContain("'toys'")
  })
})

describe('new area with a part missing', () => {
  const one = 'there is one of each kind of object, or the tests below would prove nothing'
  const rules = 'the table names every operation, and nothing else'
  const tables = 'tables of the code and of the store'

  type Texts = Readonly<Record<string, string | undefined>>

  /** Which tests fail, by file, if these files have another text or are missing. */
  const failingWith = async (texts: Texts, pattern: string, files: readonly string[]) => {
    const full = Object.keys(texts).map((path) => [path, tree.read(path)] as const)
    for (const [path, text] of Object.entries(texts))
      if (text === undefined) rmSync(join(tree.dir, path))
      else tree.write(path, text)
    const failing = await tree.failing(pattern, files)
    for (const [path, text] of full) tree.write(path, text)
    return failing
  }

  // Each is missed by a test of another file, so that one run shows both.
  test('fails one test without one of its objects, and without its rules in the matrix', {
    timeout: 60_000,
  }, async () => {
    const expected = 'test/matrix/expected.ts'
    const texts = { 'test/fixtures/toys.ts': undefined, [expected]: tree.without(expected) }
    const files = ['test/contract.test.ts', 'test/matrix/matrix.test.ts']
    const failing = await failingWith(texts, `${one}|${rules}`, files)
    expect([failing.get(files[0]!), failing.get(files[1]!)]).toEqual([[one], [rules]])
  })
  test('fails one test without its migration', { timeout: 60_000 }, async () => {
    const path = 'src/areas/toys/index.ts'
    const less = tree.read(path).replace('stored: { migrations }', 'stored: {}')
    const file = 'test/store/migrate.test.ts'
    expect((await failingWith({ [path]: less }, tables, [file])).get(file)).toContain(
      `${tables} matches the table toys of the store`,
    )
  })
})

describe('the new area', () => {
  let startPanel: typeof harness.startPanel
  let makeWorld: typeof world.makeWorld
  let commandTable: typeof tables.commandTable
  // All sources are loaded once more, from another place.
  beforeAll(async () => {
    ;({ startPanel } = await load<typeof harness>('test/harness.ts'))
    ;({ makeWorld } = await load<typeof world>('test/world.ts'))
    ;({ commandTable } = await load<typeof tables>('src/generate/table.ts'))
  }, 60_000)

  test('works: its objects are created, listed, changed, applied, and deleted with their account', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const at = `/accounts/${id}/toys`
    const made = await panel.post(at, { name: 'Kite' })
    expect([made.status, made.body.toy.name]).toEqual([202, 'Kite'])
    await panel.settle()
    expect([panel.events(), panel.jobs()]).toEqual([['job.completed'], ['toys.apply succeeded']])
    await panel.post(at, { name: 'Ball' })
    await panel.settle()
    const file = join(panel.dir, 'host/etc/panel/toys/alice')
    expect(readFileSync(file, 'utf8')).toBe('Kite\nBall\n')
    const one = `${at}/${made.body.toy.id}`
    expect((await panel.get(`${at}?q=all&per_page=1`)).body).toMatchObject({ items: [{ name: 'Ball' }], total: 1 })
    expect((await panel.patch(one, { name: 'Kite 2' })).body.toy.name).toBe('Kite 2')
    expect((await panel.get(one)).body.name).toBe('Kite 2')
    expect((await panel.delete(one)).status).toBe(202)
    expect((await panel.get(one)).code).toBe('not-found')
    await panel.settle()
    expect(readFileSync(file, 'utf8')).toBe('Ball\n')
    await panel.delete(`/accounts/${id}?confirm=alice`)
    expect((await panel.post(at, { name: 'Top' })).code).toBe('busy')
    await panel.settle()
    expect(panel.store.sqlite.prepare('SELECT count(*) FROM toys').pluck().get()).toBe(0)
  })

  test('has its commands', async () => {
    const words = commandTable().commands.map(({ words }) => words.join(' '))
    expect(words).toEqual(
      expect.arrayContaining(['toys list', 'toys create', 'toys show', 'toys update', 'toys delete']),
    )
  })

  test('provides the tests of every operation with one of its objects, and the matrix with its rules', async () => {
    const panel = await startPanel()
    const { ids } = await makeWorld(panel)
    expect([...ids.keys()]).toContain('/accounts/{id}/toys/{toy}')
    const { expected } = await load<{ expected: ReadonlyMap<string, unknown> }>('test/matrix/expected.ts')
    expect(expected.get('createToy')).toBeDefined()
  })
})
