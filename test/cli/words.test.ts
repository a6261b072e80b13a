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

  test.each([
    ['dns create-record z', 'dns add-record'],
    ['dns create record z', 'dns add-record'],
    ['dns list-records z', 'dns records'],
    ['dns show-records z', 'dns records'],
    ['dns edit-record z www', 'dns update-record'],
    ['dns remove-record z www', 'dns delete-record'],
    ['add record z', 'dns add-record'],
    ['record add z', 'dns add-record'],
    ['create zone', 'dns create'],
    ['zone import z file', 'dns import'],
    ['dns upload z file', 'dns import'],
    ['email create-forwarder a@b.example', 'email forwarders create'],
    ['email create forwarder a@b.example c@d.example', 'email forwarders create'],
    ['email add-alias a@b.example', 'email forwarders create'],
    ['forwarder add a@b.example', 'email forwarders create'],
    ['email create-mailbox a@b.example', 'email create'],
    ['mailbox create a@b.example', 'email create'],
    ['mail create a@b.example', 'email create'],
    ['new mailbox a@b.example', 'email create'],
    ['ssl upload', 'ssl install'],
    ['upload certificate', 'ssl install'],
    ['certificates list', 'ssl list'],
    ['ssl renew shop.example', 'ssl issue'],
    ['cert issue shop.example', 'ssl issue'],
    ['create account bob', 'accounts create'],
    ['suspend account bob', 'accounts suspend'],
    ['accounts disable bob', 'accounts suspend'],
    ['delete account bob', 'accounts terminate'],
    ['accounts change-password bob', 'accounts set-password'],
    ['accounts passwd bob', 'accounts set-password'],
    ['accounts login bob', 'accounts sso'],
    ['list domains', 'domains list'],
    ['add domain shop.example', 'domains create'],
    ['domains create-redirect shop.example', 'domains add-redirect'],
    ['create database shop', 'mysql databases create'],
    ['mysql create-database shop', 'mysql databases create'],
    ['mysql add-user shop', 'mysql users create'],
    ['mysql change-password shop', 'mysql users set-password'],
    ['create cron-job', 'cron create'],
    ['cron history 1', 'cron runs'],
    ['deploy app shop', 'apps deploy'],
    ['app push shop', 'apps deploy'],
    ['backup create', 'backups create'],
    ['backup list', 'backups list'],
    ['restore backup 1', 'backups restore'],
    ['create api-token robot', 'tokens create'],
    ['webhooks resend 1', 'webhooks redeliver'],
    ['webhook history 1', 'webhooks deliveries'],
    ['create ftp account bob', 'ftp create'],
    ['add ssh key', 'ssh add-key'],
    ['resellers delete bob', 'resellers remove'],
    ['audit show', 'audit list'],
    ['jobs log 1', 'jobs logs'],
    ['search shop', 'lookup'],
  ])('panel %s is panel %s', async (line, command) => {
    const { stdout } = await run(`${line} --help`)
    expect(stdout.split('\n', 1)[0]).toMatch(new RegExp(`^Usage: panel ${command} [<[]`))
  })

  test('sends what a guess means, with its arguments and options', async () => {
    const { code } = await run(`-o json suspend account ${ids.alice} --reason unpaid --no-wait`)
    expect(code).toBe(0)
    expect(stub.lines()).toEqual([`POST /accounts/${ids.alice}/suspend`])
    expect(stub.requests[0]!.body).toEqual({ reason: 'unpaid' })
  })

  test.each([
    ['suspend bob', ['accounts suspend bob', 'email suspend bob', 'resellers suspend bob']],
    ['ssl add shop.example', ['ssl install shop.example', 'ssl issue shop.example']],
    ['deploy shop', ['apps deploy shop']],
    [
      'change password bob',
      ['accounts', 'email', 'mysql users', 'ftp', 'root'].map((one) => `${one} set-password bob`),
    ],
  ])('panel %s is ambiguous: names the lines to type, and sends nothing', async (line, lines) => {
    const { code, stderr } = await run(line)
    const hint = `did you mean ${lines.map((one) => `panel ${one}`).join(' or ')}?`
    expect([code, stderr.split('\n')[1]]).toEqual([2, `hint: ${hint}`])
    expect(stub.lines()).toEqual([])
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
    ['mial list', 'mial', 'did you mean panel email?'],
    ['certifcates list', 'certifcates', 'did you mean panel ssl?'],
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
