import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lineOf } from '../../src/cli/output/transfer.ts'
import { hasScript, typed } from '../cli/pty.ts'
import { ended, ensureBuilt, inProcess, start } from '../cli/run.ts'
import { place, startServer } from '../serve/server.ts'

const home = mkdtempSync(join(tmpdir(), 'panel-files-'))
beforeAll(ensureBuilt)
afterAll(() => rmSync(home, { recursive: true }))

const megabyte = 1024 * 1024

/** A file of a number of MiB, each different. */
function large(mebibytes: number): string {
  const path = join(home, 'large')
  const file = openSync(path, 'w')
  for (let n = 0; n < mebibytes; n++) writeSync(file, Buffer.alloc(megabyte, `${n} `))
  closeSync(file)
  return path
}

const sumOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

test('manages files on the command line, with its own agent', { timeout: 60_000 }, async () => {
  const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
  const env = { XDG_CONFIG_HOME: home }
  const panel = (line: string) => inProcess([...line.split(' '), '--data-dir', server.dir], env)
  const apart = (line: string, input = '') => {
    const child = start([...line.split(' '), '--data-dir', server.dir], { env })
    child.stdin?.end(input)
    return ended(child)
  }
  const succeeds = async (line: string) => {
    const { code, stdout, stderr } = await panel(line)
    expect([line, code, stderr]).toEqual([line, 0, expect.any(String)])
    return stdout
  }
  await succeeds('accounts create alice --domain alice.example -q')
  const current = (path: string) => join(server.dir, 'host/home/alice', path)
  writeFileSync(join(home, 'page.html'), '<h1>Hello</h1>\n')
  await succeeds(`files write sites/page.html ${join(home, 'page.html')} -a alice -q`)
  expect(readFileSync(current('sites/page.html'), 'utf8')).toBe('<h1>Hello</h1>\n')
  expect((await apart('files write sites/piped -a alice', 'from a pipe')).code).toBe(0)
  expect((await apart('files read sites/piped -a alice')).stdout).toBe('from a pipe')
  await succeeds(`files read sites/page.html ${join(home, 'saved')} -a alice`)
  expect(readFileSync(join(home, 'saved'), 'utf8')).toBe('<h1>Hello</h1>\n')
  const listed = await succeeds('files list sites -a alice --columns type,size,name --no-headers')
  expect(listed.replace(/^directory\t\d+/, 'directory\t0')).toBe(
    'directory\t0\talice.example\nfile\t15\tpage.html\nfile\t11\tpiped\n',
  )
  for (const name of ['line\nbreak', '\u001b[31mred']) writeFileSync(current(`tmp/${name}`), '')
  const odd = await succeeds('files list tmp -a alice')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what would change a terminal
  expect(odd).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/)
  const names = odd.trim().split('\n').slice(1)
  expect(names.map((line) => line.split('\t').at(-1)).sort()).toEqual(['\\x1b[31mred', 'line\\nbreak'])
  await succeeds('files mkdir sites/new -a alice')
  expect(statSync(current('sites/new')).mode & 0o777).toBe(0o755)
  await succeeds('files copy sites/page.html sites/copy.html -a alice')
  expect(readFileSync(current('sites/copy.html'), 'utf8')).toBe('<h1>Hello</h1>\n')
  await succeeds('files move sites/piped sites/new/piped -a alice')
  await succeeds('files chmod sites/new/piped 0600 -a alice')
  expect(await succeeds('files stat sites/new/piped -a alice --columns mode --no-headers')).toBe('0600\n')
  const item = (await succeeds('files delete sites/new -a alice -q')).trim()
  await succeeds(`trash restore ${item} -a alice`)
  expect((await panel('files read sites/nothing -a alice')).code).toBe(3)
  expect((await panel('files write sites/page.html /nowhere -a alice')).code).toBe(2)
  expect((await panel('trash empty -a alice')).code).toBe(6)
  await succeeds('trash empty -a alice --yes')
})

test('an upload that is killed three times resumes where it stopped', { timeout: 60_000 }, async () => {
  const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
  const env = { XDG_CONFIG_HOME: home }
  const panel = (line: string) => inProcess([...line.split(' '), '--data-dir', server.dir], env)
  await panel('accounts create alice --domain alice.example -q')
  const file = large(192)
  const line = ['files', 'upload', file, 'sites/', '-a', 'alice', '--data-dir', server.dir]
  const offsets: number[] = []
  const offset = async (): Promise<number> => {
    const { stdout } = await panel('files uploads -a alice --columns offset --no-headers')
    return Number(stdout.trim() || 0)
  }
  for (let kills = 0; kills < 3; kills++) {
    const child = start(line, { env })
    const before = offsets.at(-1) ?? 0
    await expect.poll(offset, { interval: 20 }).toBeGreaterThan(before)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
    offsets.push(await offset())
  }
  const last = await ended(start(line, { env }))
  expect([last.code, last.stderr]).toEqual([0, expect.stringMatching(/^going on at byte \d+ of \d+\n$/)])
  const saved = join(server.dir, 'host/home/alice/sites/large')
  expect([statSync(saved).size, sumOf(saved)]).toEqual([192 * megabyte, sumOf(file)])
  expect(await offset()).toBe(0)
})

test('a download that is killed resumes where it stopped, or starts over if the file has changed', {
  timeout: 60_000,
}, async () => {
  const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
  const env = { XDG_CONFIG_HOME: home }
  await inProcess(['accounts', 'create', 'alice', '--domain', 'alice.example', '-q', '--data-dir', server.dir], env)
  const source = join(server.dir, 'host/home/alice/sites/large')
  copyFileSync(large(192), source)
  const into = mkdtempSync(join(home, 'into-'))
  const file = join(into, 'saved')
  const line = ['files', 'download', 'sites/large', file, '-a', 'alice', '--data-dir', server.dir]
  const killed = async (): Promise<void> => {
    const child = start(line, { env })
    const partial = (): number => readdirSync(into).reduce((sum, name) => sum + statSync(join(into, name)).size, 0)
    await expect.poll(partial, { interval: 5 }).toBeGreaterThan(0)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
    expect(readdirSync(into)).toEqual([expect.stringMatching(/^saved\.[0-9a-f]{8}\.partial$/)])
  }
  await killed()
  const again = await ended(start(line, { env }))
  expect([again.code, again.stderr]).toEqual([0, expect.stringMatching(/^going on at byte \d+\n$/)])
  expect([readdirSync(into), sumOf(file)]).toEqual([['saved'], sumOf(source)])
  rmSync(file)
  await killed()
  writeFileSync(source, 'another file by now')
  expect(await ended(start(line, { env }))).toMatchObject({ code: 0, stderr: '' })
  expect([readdirSync(into), readFileSync(file, 'utf8')]).toEqual([['saved'], 'another file by now'])
  expect((await ended(start([...line.slice(0, 2), 'sites', ...line.slice(3)], { env }))).code).toBe(2)
})

test.skipIf(!hasScript)(
  'a terminal shows the progress of a transfer, its rate and the time left',
  {
    timeout: 60_000,
  },
  async () => {
    const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
    const env = { XDG_CONFIG_HOME: home }
    await inProcess(['accounts', 'create', 'alice', '--domain', 'alice.example', '-q', '--data-dir', server.dir], env)
    const common = `-a alice --data-dir ${server.dir}`
    const bar = /large ━*─* \d+% \d+\.\d [kMG]?B\/s \d+:\d\d left/
    const sent = await typed(`files upload ${large(192)} sites/ ${common}`, env)
    expect([sent.code, sent.text]).toEqual([0, expect.stringMatching(bar)])
    const got = await typed(`files download sites/large ${join(home, 'got-large')} ${common}`, env)
    expect([got.code, got.text]).toEqual([0, expect.stringMatching(bar)])
  },
)

test('shows the progress of a transfer', () => {
  const status = { name: 'site.zip', done: 30 * 2 ** 20, total: 100 * 2 ** 20, rate: 2 * 2 ** 20 }
  expect(lineOf(status)).toBe('site.zip ━━━━━━────────────── 30% 2.0 MB/s 0:35 left')
  expect(lineOf({ ...status, rate: 10 * 2 ** 10 })).toBe('site.zip ━━━━━━────────────── 30% 10.0 kB/s 1:59:28 left')
  expect(lineOf({ ...status, total: undefined })).toBe('site.zip 30.0 MB 2.0 MB/s')
})
