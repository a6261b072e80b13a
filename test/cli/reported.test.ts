import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { offersFor } from '../../src/cli/completion/complete.ts'
import { hasScript, typed } from './pty.ts'
import { ended, ensureBuilt, inProcess, start } from './run.ts'
import { account, ids, type Stub, startStub } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
})
beforeEach(() => stub.reset())
afterAll(() => stub.close())

const env = () => ({ PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' })
const run = (line: string) => inProcess(line.split(' '), env())

describe('error message', () => {
  test.each(['jobs wait nope', 'jobs logs nope', 'jobs show nope', 'jobs cancel nope'])(
    'says that %s is not an id, and where ids are listed',
    async (line) => {
      const { code, stdout, stderr } = await run(line)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toBe('error: Not found\n  nope is not the id of a job\nhint: see panel jobs list\n')
      expect(stub.lines()).toEqual([])
    },
  )

  test('suggests a column for an unknown one, and no long list is printed', async () => {
    const { code, stderr } = await run('accounts list --columns ip')
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: there is no column ip\nhint: did you mean .*ip_address.*\?\n$/)
  })

  test('says that an item of the trash has no name', async () => {
    const { code, stderr } = await run('trash restore nope -a alice')
    expect([code, stderr]).toEqual([
      3,
      'error: Not found\n  nope is not the id of a trash item\nhint: see panel trash list\n',
    ])
  })

  test.each([
    ['dns import alice.example /nowhere/zone', '/nowhere/zone'],
    ['apps deploy docs -a alice --archive /nowhere/app.zip', '/nowhere/app.zip'],
    ['files write sites/index.html /nowhere/index.html -a alice', '/nowhere/index.html'],
    ['accounts create bob --data @/nowhere/bob.json', '/nowhere/bob.json'],
    ['accounts set-password alice --password-file /nowhere/pw', '--password-file: /nowhere/pw'],
  ])('says plainly that there is no such file: %s', async (line, file) => {
    const { code, stdout, stderr } = await run(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toBe(`error: ${file}: no such file or directory\n`)
  })

  test('suggests a value out of many', async () => {
    const { code, stderr } = await run('acls create support --acl list-acts')
    expect(code).toBe(2)
    expect(stderr).toBe('error: --acl does not accept list-acts\nhint: did you mean list-accts?\n')
  })

  test('says that --select found nothing, and how to select a list', async () => {
    const { code, stdout, stderr } = await run('accounts list --select items[].username')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '\n' })
    expect(stderr).toBe('--select found nothing; it is applied to the list itself, such as [].id\n')
  })

  test('says that http:// was sent to a port that speaks HTTPS', async () => {
    stub.handle(() => ({ status: 400, body: 'This port speaks HTTPS. Use https:// instead of http://.' }))
    const { code, stderr } = await run('accounts list')
    expect(code).toBe(7)
    expect(stderr).toContain('speaks HTTPS, but http:// was given')
    expect(stderr).toContain(`use https://${new URL(stub.url).host}`)
  })
})

describe('date on the command line', () => {
  const sent = () => (stub.requests.at(-1)!.body as { valid_until: number }).valid_until
  beforeEach(() =>
    stub.handle(({ path }) => (path === '/license' ? { body: { valid: true, valid_until: 1 } } : undefined)),
  )

  test('accepts a day, milliseconds, or a time from now', async () => {
    expect((await run('license set 2031-12-31')).code).toBe(0)
    expect(sent()).toBe(Date.parse('2031-12-31'))
    expect((await run('license set 1798761600000')).code).toBe(0)
    expect(sent()).toBe(1_798_761_600_000)
    const before = Date.now()
    expect((await run('license set 30d')).code).toBe(0)
    expect(sent()).toBeGreaterThanOrEqual(before + 30 * 86_400_000)
  })

  test.each(['1000', '1798761600', 'soon'])('refuses %s as a date', async (text) => {
    const { code, stderr } = await run(`license set ${text}`)
    expect(code).toBe(2)
    expect(stderr).toContain('must be a date such as 2031-12-31, or a duration such as 30d')
    expect(stub.lines()).toEqual([])
  })

  test('explains dates in the help, and shows an example', async () => {
    expect((await run('license set --help')).stdout.replace(/\s+/g, ' ')).toContain('a date such as 2031-12-31')
    stub.handle(() => ({ body: { valid: true, valid_until: Date.parse('2031-12-31') } }))
    expect((await run('license show')).stdout).toBe('valid\ttrue\nvalid_until\t2031-12-31T00:00:00.000Z\n')
  })
})

test('completion offers the scopes that the kind of token accepts', async () => {
  const offers = async (...words: string[]) => (await offersFor(words)).map(([word]) => word)
  const admin = await offers('tokens', 'create', 'x', '--scopes', '')
  expect([admin.length, admin.includes('dns:read')]).toEqual([8, false])
  expect(await offers('tokens', 'create', 'x', '--account', 'alice', '--scopes', 'dns')).toEqual([
    'dns:read',
    'dns:write',
  ])
})

test('a webhook is identified by its URL', async () => {
  const url = 'https://hooks.example/panel'
  stub.handle(({ method, path }) => {
    if (path === '/webhooks') return { body: { items: [{ id: ids.token, url }] } }
    return method === 'POST' ? { status: 202, body: { event_id: ids.job } } : undefined
  })
  expect((await run(`webhooks test ${url}`)).code).toBe(0)
  expect(stub.lines()).toEqual(['GET /webhooks', `POST /webhooks/${ids.token}/test`])
  expect((await run('webhooks test https://other.example')).stderr).toContain('No such webhook')
})

test('a job is shown with its log', async () => {
  const { stdout } = await run(`jobs show ${ids.job}`)
  expect(stdout).toContain(`job.id\t${ids.job}\njob.username\t\njob.kind\tstub.job\njob.status\tsucceeded\n`)
  expect(stdout).toMatch(/\n\n1970-01-01T00:00:00\.005Z info {2}worked\n$/)
})

describe.runIf(hasScript)('on a terminal', () => {
  const onTerminal = (line: string) => typed(line, env())

  test('show prints everything important, including the reason for a suspension', async () => {
    const details = { suspend_reason: 'unpaid', ip_address: '192.0.2.1', home_dir: '/home/bob', shell: '' }
    stub.handle(({ path }) =>
      path === `/accounts/${ids.bob}` ? { body: account('bob', ids.bob, details) } : undefined,
    )
    const { text } = await onTerminal(`accounts show ${ids.bob}`)
    for (const line of [/^USERNAME +bob$/m, /^SUSPEND REASON +unpaid$/m, /^IP ADDRESS +192\.0\.2\.1$/m])
      expect(text).toMatch(line)
    expect(text).toMatch(/^LIMITS\n {2}unlimited +max email, .*max ftp/m)
    expect(text).not.toMatch(/SHELL|PACKAGE ID/)
  })

  test('an account without a password gets a hint with the command that sets one', async () => {
    const remark = 'It has no password: only sign-in links work. To set one: panel accounts set-password'
    expect((await onTerminal('accounts create alice --domain alice.example --no-wait')).text).toContain(remark)
    const piped = await run('accounts create alice --domain alice.example --no-wait')
    expect(piped.stderr).not.toContain(remark)
  })

  test('marks a secret as shown only once', async () => {
    const answer = { secret: 'pnl_once', token: { id: ids.token, name: 'ci', scopes: ['read-only'] } }
    stub.handle(() => ({ status: 201, body: answer }))
    const { text } = await onTerminal('tokens create ci --scopes read-only')
    expect(text).toContain('Keep the secret now: it is not shown again.')
    expect((await onTerminal('tokens create ci --scopes read-only --columns token.name')).text).not.toContain(
      'Keep the',
    )
  })

  test('a slow server is named, and Ctrl-C says what may have happened', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const url = `http://127.0.0.1:${(silent.address() as { port: number }).port}`
    const line = `packages create small`
    const { code, text } = await typed(line, { ...env(), PANEL_URL: url }, [['waiting for 127.0.0.1', '\u0003']])
    expect(code).toBe(130)
    expect(text).toContain('error: Interrupted\nhint: the server may already have made the change')
  })
})

test('Ctrl-C while a server is silent is reported without a terminal too', async () => {
  let connected: () => void = () => undefined
  const connection = new Promise<void>((resolve) => {
    connected = resolve
  })
  const silent = createServer((socket) => socket.once('data', () => connected())).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as { port: number }).port}`
  const child = start(['packages', 'list'], { env: { ...env(), PANEL_URL: url } })
  const result = ended(child)
  await connection
  child.kill('SIGINT')
  expect(await result).toEqual({ code: 130, stdout: '', stderr: 'error: Interrupted\n' })
})

test('a job is not named after its account', async () => {
  stub.handle(({ path }) =>
    path === '/jobs'
      ? {
          body: {
            items: [{ id: ids.job, kind: 'account.create', account_id: ids.alice, username: 'alice' }],
            total: 1,
          },
        }
      : undefined,
  )
  expect((await run('jobs list -o name')).stdout).toBe(`${ids.job}\n`)
  expect((await run('jobs show alice')).stderr).toContain('alice is not the id of a job')
})

test('every attempt of a delivery is shown with its status or error', async () => {
  const attempts = [
    { number: 1, error: 'timeout' },
    { number: 2, http_status: 500, error: 'status' },
  ]
  const delivery = { id: ids.job, event_type: 'job.completed', status: 'retrying' }
  const items = [
    { ...delivery, attempts },
    { ...delivery, attempts: [{ number: 1, http_status: 204 }] },
  ]
  stub.handle(({ path }) => (path.endsWith('/deliveries') ? { body: { items } } : undefined))
  const { stdout } = await run(`webhooks deliveries ${ids.job} --no-headers`)
  expect(stdout.split('\n').map((line) => line.split('\t').slice(4, 6))).toEqual([
    ['-,500', 'timeout,status'],
    ['204', ''],
    [],
  ])
})

test('a host without differences prints nothing', async () => {
  stub.handle(({ path }) => (path === '/host/diff' ? { body: { differences: [], diff: '', more: false } } : undefined))
  expect(await run('host diff')).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('what is named by its kind is listed by what commands take', async () => {
  const items = [{ kind: 'welcome', locale: 'de', subject: 'Hallo' }]
  stub.handle(({ path }) => (path === '/email-templates' ? { body: { items } } : undefined))
  expect((await run('email-templates list -o name')).stdout).toBe('welcome de\n')
})
