import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { panel as command, ensureServerBuilt } from '../cli/run.ts'
import { scratchFolder, startServer } from '../cli/server.ts'
import { below, cpmove, filesOf, gzipped } from './archives.ts'

beforeAll(ensureServerBuilt, 120_000)

test('import run takes archives and imports, counts at the end, and exits by the worst', async () => {
  const dataDir = scratchFolder()
  await startServer(dataDir)
  const archives = join(dataDir, 'archives')
  mkdirSync(archives)
  const [good, bad] = [join(archives, 'alice.tar.gz'), join(archives, 'root.tar.gz')]
  writeFileSync(good, cpmove())
  writeFileSync(bad, gzipped(below('cpmove-root', filesOf({ 'cp/root': 'DNS=root.example\nUSER=root\n' }))))
  const panel = (...words: string[]) => command([...words, '--data-dir', dataDir])
  expect((await panel('settings', 'update', '--import-dirs', archives)).code).toBe(0)
  const dry = await panel('import', 'run', good, '--dry-run')
  expect([dry.code, dry.stderr.trim().split('\n').at(-1)]).toEqual([0, '1 ready'])
  const both = await panel('import', 'run', good, bad)
  expect(both.stderr).toContain('1 imported, 1 blocked')
  expect(both.code).toBe(5)
  const again = await panel('import', 'run', 'alice')
  expect([again.code, again.stderr.trim().split('\n').at(-1)]).toEqual([0, '1 imported'])
  const all = JSON.parse((await panel('import', 'list', '-o', 'json')).stdout)
  const { id } = all.find(({ status }: { status: string }) => status === 'imported')
  const removed = await panel('import', 'remove', id, '--yes')
  expect([removed.code, removed.stderr]).toEqual([0, expect.not.stringContaining('confirm')])
  expect((await panel('accounts', 'list', '-o', 'json')).stdout).not.toContain('alice')
}, 120_000)

test('import run uploads an archive that the server cannot read by its path, and inspect --file does so too', async () => {
  const [dataDir, elsewhere] = [scratchFolder(), scratchFolder()]
  await startServer(dataDir)
  const file = join(elsewhere, 'alice.tar.gz')
  writeFileSync(file, cpmove())
  const panel = (...words: string[]) => command([...words, '--data-dir', dataDir])
  writeFileSync(join(elsewhere, 'none.tar.gz'), '')
  const empty = await panel('import', 'inspect', '--file', join(elsewhere, 'none.tar.gz'))
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('none.tar.gz is empty')])
  const inspected = await panel('import', 'inspect', '--file', file, '-o', 'json')
  expect([inspected.code, JSON.parse(inspected.stdout).source.kind]).toEqual([0, 'upload'])
  const run = await panel('import', 'run', file)
  expect([run.code, run.stderr.trim().split('\n').at(-1)]).toEqual([0, '1 imported'])
  expect((await panel('import', 'uploads', 'list', '-o', 'json')).stdout.trim()).toBe('[]')
}, 120_000)

test('an error of an uploaded archive names the file as it was typed', async () => {
  const [dataDir, elsewhere] = [scratchFolder(), scratchFolder()]
  await startServer(dataDir)
  const panel = (...words: string[]) => command([...words, '--data-dir', dataDir])
  const bad = join(elsewhere, 'page.tar.gz')
  writeFileSync(bad, '<!DOCTYPE html><title>404</title>')
  const inspected = await panel('import', 'inspect', '--file', bad)
  expect([inspected.code, inspected.stderr]).toEqual([
    1,
    expect.stringContaining('  - file: is not an account archive'),
  ])
  const run = await panel('import', 'run', bad)
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining(`  - ${bad}: is not an account archive`)])
  expect(`${inspected.stderr}${run.stderr}`).not.toMatch(/upload.id/)
  const both = await panel('import', 'inspect', '--file', bad, '--upload-id', '01J00000000000000000000000')
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--file and --upload-id cannot be combined')])
}, 120_000)
