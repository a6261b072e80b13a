import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bin, ended, ensureBuilt, ensureServerBuilt, environment, root } from './run.ts'
import { scratchFolder, startServer } from './server.ts'
import { type Stub, startStub } from './stub.ts'

// What a command loads dominates its start. bench/cli measures the time.

let stub: Stub
beforeAll(async () => {
  ensureBuilt()
  ensureServerBuilt()
  stub = await startStub()
})
afterAll(() => stub.close())

interface Loaded {
  /** Bytes of this package's files that were executed. */
  readonly bytes: number
  /** Node's built-in modules. */
  readonly builtins: ReadonlySet<string>
}

async function loaded(...words: string[]): Promise<Loaded> {
  const folder = scratchFolder()
  const coverage = join(folder, 'coverage')
  const probe = join(folder, 'probe.cjs')
  const list = join(folder, 'builtins.json')
  mkdirSync(coverage)
  writeFileSync(
    probe,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList)))`,
  )
  const env = environment({
    PANEL_URL: stub.url,
    PANEL_TOKEN: 'pnl_x',
    NODE_V8_COVERAGE: coverage,
    NODE_OPTIONS: `--require=${probe}`,
  })
  expect((await ended(spawn(process.execPath, words, { env }))).code).toBe(0)
  return { bytes: bytesOf(coverage), builtins: new Set(JSON.parse(readFileSync(list, 'utf8')) as string[]) }
}

/** This package's files that were executed. */
function filesOf(coverage: string): string[] {
  const urls = readdirSync(coverage).flatMap((name) =>
    (JSON.parse(readFileSync(join(coverage, name), 'utf8')) as { result: { url: string }[] }).result.map(
      ({ url }) => url,
    ),
  )
  const own = urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url))
  return own.filter((file) => file.startsWith(root))
}

const bytesOf = (coverage: string): number => filesOf(coverage).reduce((sum, file) => sum + statSync(file).size, 0)

/** The minimum Node needs for one request. */
const bareRequest = () =>
  `require('node:http').get(${JSON.stringify(`${stub.url}/api/v1/accounts`)}, (answer) => answer.pipe(process.stdout))`

test('a list loads little more than a single request needs', async () => {
  const bare = await loaded('-e', bareRequest())
  const list = await loaded(bin, 'accounts', 'list')
  expect(list.bytes).toBeLessThan(100_000)
  expect(
    [...list.builtins].filter((name) => name.startsWith('NativeModule') && !bare.builtins.has(name)).length,
  ).toBeLessThan(4)
})

test('completing words loads no client', async () => {
  const completion = await loaded(bin, '__complete', '--', 'accounts', 'sus')
  expect(completion.bytes).toBeLessThan(45_000)
  expect(completion.builtins).not.toContain('NativeModule http')
})

/** The screens' files that a server executed, and the statuses of concurrent requests to it. */
async function served(...paths: string[]): Promise<{ statuses: number[]; screens: string[] }> {
  const folder = scratchFolder()
  const coverage = join(folder, 'coverage')
  const server = await startServer(join(folder, 'data'), ['--no-tls'], { NODE_V8_COVERAGE: coverage })
  const answers = await Promise.all(paths.map((path) => fetch(server.url + path, { headers: { Accept: 'text/html' } })))
  await server.stop()
  const screens = filesOf(coverage).flatMap((file) => /^(routes|screens)-/.exec(basename(file))?.[1] ?? [])
  return { statuses: answers.map(({ status }) => status), screens: [...new Set(screens)].sort() }
}

test('a server without page requests loads no screens', async () => {
  const { statuses, screens } = await served('/healthz', '/api/v1/openapi.json', '/api/v1/accounts')
  expect([statuses, screens]).toEqual([[200, 200, 401], []])
})

test('the first page requests load the screens', async () => {
  const { statuses, screens } = await served('/user/login', '/user/cron', '/docs', '/problems/not-found', '/nothing')
  expect([statuses, screens]).toEqual([
    [200, 200, 200, 200, 404],
    ['routes', 'screens'],
  ])
})
