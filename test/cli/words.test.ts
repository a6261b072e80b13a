import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { offersFor } from '../../src/cli/completion/complete.ts'
import { commandTable } from '../../src/generate/table.ts'
import { hasScript, typed } from './pty.ts'
import { ensureBuilt, inProcess } from './run.ts'
import { ids, type Stub, startStub } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
})
beforeEach(() => stub.reset())
afterAll(() => stub.close())

const env = () => ({ PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' })
const run = (line: string) => inProcess(line.split(' '), env())

test('the help begins with the core commands, and ends with examples and options', async () => {
  const { stdout } = await run('--help')
  expect([...stdout.matchAll(/^\w.*:$/gm)].map(([heading]) => heading)).toEqual([
    'Core commands:',
    'More of an account:',
    'Packages and addresses:',
    'Resellers and access:',
    'Events:',
    'The server:',
    'This command line:',
    'Examples:',
    'Options:',
    'Global options:',
  ])
  expect((await run('nodes --help')).stdout).toMatch(/^Commands:\n(?: {2}.*\n)* {2}dns-peer /m)
})

describe('terms of other tools', () => {
  test('every group of commands says what it is for', async () => {
    const groups = new Set(
      commandTable().commands.flatMap(({ words }) =>
        words.slice(0, -1).map((_, at) => words.slice(0, at + 1).join(' ')),
      ),
    )
    for (const group of ['', ...groups]) {
      const { stdout } = await run(`${group} --help`.trim())
      expect([group, stdout.match(/^ {2}([\w-]+) +\1$/gm)]).toEqual([group, null])
    }
  })

  test.each([
    ['users list', 'GET /accounts?page=1&per_page=500'],
    ['account ls', 'GET /accounts?page=1&per_page=500'],
    ['--output json users ls', 'GET /accounts?page=1&per_page=500'],
    ['users get', 'GET /accounts?page=1&per_page=500'],
    [`accounts get ${ids.alice}`, `GET /accounts/${ids.alice}`],
    [`package info ${ids.package}`, `GET /packages/${ids.package}`],
    [`accounts delete ${ids.alice} --confirm alice --no-wait`, `DELETE /accounts/${ids.alice}?confirm=alice`],
    [`accounts rm ${ids.alice} --confirm alice --no-wait`, `DELETE /accounts/${ids.alice}?confirm=alice`],
    [`tokens delete ${ids.token} --yes`, `DELETE /tokens/${ids.token}`],
    [`plans remove ${ids.package} --yes`, `DELETE /packages/${ids.package}`],
    ['package add tiny', 'POST /packages'],
  ])('accepts panel %s', async (line, request) => {
    await run(line)
    expect(stub.lines()).toEqual([request])
  })

  test("asks before a final step under another tool's term, and names the command", async () => {
    const { code, stderr } = await run(`accounts delete ${ids.alice}`)
    expect(code).toBe(6)
    expect(stderr).toContain(`panel accounts terminate ${ids.alice} --yes`)
  })

  test("leads to the help from another tool's term", async () => {
    expect((await run('users rm --help')).stdout).toMatch(
      /^Usage: panel accounts terminate <account>\.\.\. \[options\]/,
    )
  })

  test('version prints the version', async () => {
    expect((await run('version')).stdout).toBe((await run('--version')).stdout)
  })

  test.each([
    ['mail list', 'mail', 'did you mean panel email or panel email-templates?'],
    ['spool list', 'spool', 'see panel --help'],
    ['ls', 'ls', 'see panel --help'],
    ['foo', 'foo', 'see panel --help'],
    ['accounts foo', 'foo', 'see panel accounts --help'],
    [
      'mysql create',
      'create',
      'did you mean panel mysql databases create or panel mysql hosts create or panel mysql users create?',
    ],
    ['acounts list', 'acounts', 'did you mean panel accounts?'],
    ['accounts susspend x', 'susspend', 'did you mean panel accounts suspend?'],
    ['accounts delet x', 'delet', 'did you mean panel accounts terminate?'],
  ])('panel %s is not a command, and the hint is one', async (line, word, hint) => {
    const { code, stdout, stderr } = await run(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe(`error: unknown command '${word}'\nhint: ${hint}\n`)
  })
})

describe('several objects', () => {
  const [one, two] = [ids.alice, ids.bob]

  test('processes several objects one after the other', async () => {
    expect(await run(`webhooks delete ${one} ${two} --yes`)).toMatchObject({ code: 0, stderr: '' })
    expect(stub.lines()).toEqual([`DELETE /webhooks/${one}`, `DELETE /webhooks/${two}`])
  })

  test('continues with other objects after a failure, and exits with the highest code', async () => {
    stub.handle(({ method, path }) => {
      if (method !== 'DELETE') return undefined
      if (path.endsWith(one)) return { status: 404, body: { type: 'https://x/problems/not-found', title: 'Not found' } }
      return { status: 204 }
    })
    const { code, stdout, stderr } = await run(`tokens revoke ${one} ${two} --yes`)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(new RegExp(`^error: ${one}: Not found\n`))
    expect(stub.lines()).toEqual([`DELETE /tokens/${one}`, `DELETE /tokens/${two}`])
    const asJson = await run(`tokens revoke ${one} ${two} --yes -o json`)
    expect(JSON.parse(asJson.stderr.split('\n')[0]!)).toMatchObject({ subject: one, title: 'Not found' })
  })

  test('prints one JSON document for several objects, and a table with one header line', async () => {
    stub.handle(({ method }) => (method === 'POST' ? { status: 202, body: { event_id: ids.job } } : undefined))
    const { stdout } = await run(`webhooks test ${one} ${two} --output json`)
    expect(JSON.parse(stdout)).toEqual([{ event_id: ids.job }, { event_id: ids.job }])
    expect((await run(`webhooks test ${one} ${two}`)).stdout).toBe(`event_id\n${ids.job}\n${ids.job}\n`)
  })

  test('names all objects before a final step', async () => {
    const { code, stderr } = await run(`accounts terminate ${one} ${two} --confirm alice`)
    expect(code).toBe(2)
    expect(stderr).toContain('--confirm works on one object at a time')
    expect(stub.lines()).toEqual([])
  })

  test('refuses several objects if the next word means something else', async () => {
    expect((await run('accounts set-package alice large small')).code).toBe(2)
    expect((await run(`accounts show ${one} ${two}`)).code).toBe(2)
  })

  test('offers several objects in completion', async () => {
    stub.handle(() => ({ body: { items: [{ id: one, url: 'https://a.example' }] } }))
    const { PANEL_URL, PANEL_TOKEN } = process.env
    Object.assign(process.env, env())
    const offers = await offersFor(['webhooks', 'test', two, '']).finally(() => {
      Object.assign(process.env, { PANEL_URL, PANEL_TOKEN })
      for (const name of ['PANEL_URL', 'PANEL_TOKEN']) if (process.env[name] === 'undefined') delete process.env[name]
    })
    expect(offers.map(([word]) => word)).toEqual([one])
  })
})

describe.runIf(hasScript)('help', () => {
  test.each([
    ['--help'],
    ['help contexts'],
    ['help environment'],
    ['help output'],
    ['help scripting'],
    ['accounts create --help'],
  ])('fits the help of panel %s into the terminal, without splitting words', async (line) => {
    for (const columns of [60, 80, 120]) {
      const { code, text } = await typed(line, {}, [], columns)
      expect(code).toBe(0)
      for (const one of text.split('\n')) expect(one.length, one).toBeLessThanOrEqual(columns)
    }
  })

  test('an example that is too long is continued after a backslash', async () => {
    const { text } = await typed('accounts create --help', {}, [], 80)
    expect(text).toContain('--package default \\\n    --contact-email alice@example.com --password-stdin\n')
  })
})
