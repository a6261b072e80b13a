import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { commandLine } from '../../src/cli/invocation.ts'
import { fitted, roleOf, widthOf, withShortIds } from '../../src/cli/output/fit.ts'
import { headings } from '../../src/cli/output/heading.ts'

import { inProcess } from './run.ts'
import { account, ids, type Reply, type Stub, startStub } from './stub.ts'

let stub: Stub
let raw: Server
let speak: (socket: Socket) => void
const sockets = new Set<Socket>()
beforeAll(async () => {
  stub = await startStub()
  raw = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => speak(socket))
  })
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
})
beforeEach(() => stub.reset())
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  raw.close()
  await stub.close()
})

const run = (line: string) => inProcess(line.split(' '), { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_canary' })
const runRaw = (line: string) => {
  const { port } = raw.address() as { port: number }
  return inProcess(line.split(' '), { PANEL_URL: `http://127.0.0.1:${port}`, PANEL_TOKEN: 'pnl_canary' })
}

describe('response of a hostile server', () => {
  test.each<[string, Reply]>([
    ['without items', { body: {} }],
    ['with items that are none', { body: { items: 'x', total: 3 } }],
    ['that is a list', { body: [1, 2] }],
    ['that is null', { body: null }],
    ['that is empty', {}],
  ])('refuses %s as a list', async (_what, reply) => {
    stub.handle(() => reply)
    const { code, stdout, stderr } = await run('accounts list')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('is not a panel server, or sent an unexpected response')
  })

  test('refuses a response that is an HTML page', async () => {
    speak = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<h1>It works!</h1>')
    const { code, stdout, stderr } = await runRaw('accounts list -o json')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(JSON.parse(stderr).type).toBe('panel:problems/bad-answer')
  })

  test('refuses a response that is not HTTP', async () => {
    speak = (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')
    expect((await runRaw('accounts list')).code).toBe(1)
  })

  test('treats half a body as a disconnect', async () => {
    speak = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"items":[')
    expect((await runRaw('accounts list')).code).toBe(7)
  })

  test('abandons a response that never ends', async () => {
    speak = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n')
      const chunk = Buffer.alloc(1024 * 1024, 'x')
      const more = () => {
        while (!socket.destroyed && socket.write(chunk));
      }
      socket.on('drain', more)
      more()
    }
    const { code, stderr } = await runRaw('accounts list')
    expect(code).toBe(1)
    expect(stderr).toContain('is too large to read')
  })

  test.each([301, 302, 307, 308])('does not follow %i, and sends no secret on', async (status) => {
    const other = await startStub()
    stub.handle(() => ({ status, headers: { location: `${other.url}/api/v1/accounts` } }))
    const { code, stderr } = await run('accounts list')
    expect(code).toBe(1)
    expect(stderr).toContain(other.url)
    expect(other.requests).toEqual([])
    await other.close()
  })

  test('reports an error whose problem is garbage', async () => {
    stub.handle(() => ({
      status: 422,
      body: { type: 5, title: {}, detail: [], fields: { a: {}, b: 'is\u001b[31m bad\nhint: rm -rf' } },
    }))
    const { code, stdout, stderr } = await run('accounts list')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('error: The server answered 422\n  - b: is [31m bad hint: rm -rf\nrequest id: req-1\n')
  })

  test.each([429, 503])('does not wait forever when %i asks for it', async (status) => {
    let requests = 0
    stub.handle(() => (requests++ === 0 ? { status, headers: { 'retry-after': '0' } } : undefined))
    expect((await run('accounts list -o name')).stdout).toBe('alice\nbob\n')
  })
})

describe('names that contain escape codes', () => {
  const evil = 'a\u001b]0;owned\u0007\u001b[2Jb\u009b31m\u202egnp\r\nc$(touch x)'
  const harmful = /[^\P{Cc}\n\t]|\p{Bidi_C}/u
  beforeEach(() => stub.handle(() => ({ body: { items: [account(evil, ids.alice)], total: 1 } })))

  test.each(['-o table', '-o json', '-o jsonl', '-o name', '-o table --columns username'])(
    'makes escape codes harmless with %s',
    async (more) => {
      const { code, stdout } = await run(`accounts list ${more}`)
      expect(code).toBe(0)
      expect(stdout).not.toMatch(harmful)
    },
  )

  test('leaves escape codes unchanged in JSON', async () => {
    expect(JSON.parse((await run('accounts list -o json')).stdout)[0].username).toBe(evil)
  })

  test('prints a name on one line in a table and by name', async () => {
    expect((await run('accounts list --columns username --no-headers')).stdout.split('\n')).toHaveLength(2)
    expect((await run('accounts list -o name')).stdout.split('\n')).toHaveLength(2)
  })

  test.each(['-o table --columns username --no-headers', '-o name'])(
    'shows names escaped and distinct with %s',
    async (more) => {
      const names = ['a\nb', 'a b', 'a\u001bb', 'a\u0007b', 'a\tb', '\u202eab', '\u009bab', 'a\\b']
      const items = names.map((name) => account(name, ids.alice))
      stub.handle(() => ({ body: { items, total: items.length } }))
      const visible = ['a\\nb', 'a b', 'a\\x1bb', 'a\\x07b', 'a\\tb', '\\u202eab', '\\x9bab', 'a\\b']
      expect((await run(`accounts list ${more}`)).stdout.trimEnd().split(/\r?\n/)).toEqual(visible)
    },
  )

  test('keeps line breaks and tabs of a text in a spreadsheet, so that it differs from one with a backslash', async () => {
    const names = ['a\nb', 'a\\nb', 'a\tb', 'a\u001bb', 'a\rb']
    stub.handle(() => ({ body: { items: names.map((name) => account(name, ids.alice)), total: names.length } }))
    const { stdout } = await run('accounts list -o csv --columns username --no-headers')
    expect(stdout).toBe('"a\nb"\r\na\\nb\r\na\tb\r\na\\x1bb\r\na\\rb\r\n')
  })

  test('writes no formulas into a spreadsheet', async () => {
    const names = ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("x")', 'a=1']
    stub.handle(() => ({ body: { items: names.map((name) => account(name, ids.alice)), total: names.length } }))
    const { stdout } = await run('accounts list -o csv --columns username --no-headers')
    const cells = ["'=1+1", "'+1", "'-1", "'@SUM(A1)", `"'=HYPERLINK(""x"")"`, 'a=1']
    expect(stdout.trimEnd().split('\r\n')).toEqual(cells)
  })

  test('quotes names in suggested commands', () => {
    expect(commandLine(['packages', 'delete', '$(touch x)', "it's"])).toBe(
      `panel packages delete '$(touch x)' 'it'\\''s'`,
    )
  })
})

describe('a table', () => {
  test('gives up a whole id first, then the step of a job, then what follows, but never a reason', () => {
    const columns = ['id', 'status', 'step', 'created_at', 'error'].map((field) => ({ field }))
    const rows = [['x'.repeat(26), 'succeeded', 'measure', '5 min ago', 'y'.repeat(90)]]
    const visible = (room: number) => fitted(rows, room, columns.map(roleOf)).visible.map((at) => columns[at]?.field)
    expect(visible(100)).toEqual(['id', 'status', 'step', 'created_at', 'error'])
    expect(visible(80)).toEqual(['status', 'step', 'created_at', 'error'])
    expect(visible(50)).toEqual(['status', 'created_at', 'error'])
    expect(visible(40)).toEqual(['status', 'error'])
    const { widths } = fitted(rows, 60, columns.map(roleOf))
    expect(widths.reduce((sum, width) => sum + width, 0) - 2).toBe(60)
  })

  test('shortens ids to where they differ, at their ends where their beginnings do not', () => {
    const columns = [{ field: 'id' }, { field: 'name' }]
    const of = (...ids: string[]) =>
      withShortIds(
        columns,
        ids.map((id) => [id, id]),
      ).map(([id]) => id)
    expect(of('01M8CYPYAB0000000000000000', '01M8CYPYCD0000000000000000')).toEqual(['01M8CYPYAB', '01M8CYPYCD'])
    expect(of('01M8CYPYABX000000000000000', '01M8CYPYABY000000000000000')).toEqual(['01M8CYPYABX', '01M8CYPYABY'])
    const twins = ['01M8CYPYAB0000000000000001', '01M8CYPYAB0000000000000002']
    expect(of(...twins)).toEqual(['…000001', '…000002'])
  })

  test('counts columns, not characters', () => {
    expect(['abc', 'ä', 'a\u0308', '日本', '🦊'].map(widthOf)).toEqual([3, 1, 1, 4, 2])
  })

  test.each([
    [
      ['data.account.username', 'data.actor.type', 'data.via'],
      ['ACCOUNT', 'ACTOR', 'VIA'],
    ],
    [
      ['disk_mb.used', 'created_at', 'package_name', 'progress_pct'],
      ['DISK MB USED', 'CREATED', 'PACKAGE', 'PROGRESS'],
    ],
    [
      ['token.name', 'token.scopes', 'account_count'],
      ['TOKEN', 'TOKEN SCOPES', 'ACCOUNTS'],
    ],
    [
      ['name', 'at', 'type', 'owner', 'owner_name'],
      ['NAME', 'AT', 'TYPE', 'OWNER', 'OWNER NAME'],
    ],
  ])('labels %j as %j', (fields, titles) => {
    expect(headings(fields.map((field) => ({ field })))).toEqual(titles)
  })
})
