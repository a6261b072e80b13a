import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bin, ended, ensureBuilt, environment, inProcess, panel, start } from './run.ts'
import { ids, type Received, type Reply, type Stub, startStub } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
})
beforeEach(() => {
  stub.reset()
  newest = 0
  pruned = 0
  stub.handle(feed)
})
afterAll(() => stub.close())

/** A feed with a number of events, as the server returns it. */
let newest = 0
let pruned = 0

const event = (seq: number) => ({
  seq,
  id: `01K9ZQ5T3M8V4X7C2B6N1D${String(seq).padStart(4, '0')}`,
  type: seq % 2 === 0 ? 'job.completed' : 'account.created',
  created_at: 1_700_000_000_000 + seq,
  data: { account: { username: 'alice' }, object: 'account', actor: { type: 'root' }, via: 'api' },
})

function feed({ path, query }: Received): Reply | undefined {
  if (path !== '/events' && !path.endsWith('/events')) return undefined
  const before = Number(query.get('since') ?? 0) - event(1).created_at
  const [after, limit] = [Math.max(before, Number(query.get('after') ?? 0)), Number(query.get('limit') ?? 100)]
  const first = Math.max(after, pruned)
  const items = Array.from({ length: Math.max(0, Math.min(limit, newest - first)) }, (_, at) => event(first + at + 1))
  const next = items.length === limit ? (items.at(-1)?.seq ?? 0) : newest
  return {
    body: { items, next, ...(after > 0 && after < pruned && { gap: true }) },
    ...(items.length === 0 && { delay: 50 }),
  }
}

const env = () => ({ PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' })
const run = (line: string, more: Record<string, string> = {}) => inProcess(line.split(' '), { ...env(), ...more })
const seqs = (stdout: string): number[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).seq)
const until = async (ready: () => boolean): Promise<void> => {
  while (!ready()) await new Promise((next) => setTimeout(next, 20))
}

/** The executable, with its output so far. */
function tail(words: readonly string[]) {
  const child = start(words, { env: env() })
  const seen = { out: '', err: '' }
  child.stdout?.on('data', (text) => {
    seen.out += text
  })
  child.stderr?.on('data', (text) => {
    seen.err += text
  })
  return { child, seen, result: ended(child) }
}

describe('panel events tail', () => {
  test('starts now, and prints new events', async () => {
    newest = 7
    const { child, seen, result } = tail(['events', 'tail', '-o', 'jsonl'])
    await until(() => seen.err.includes('following'))
    newest = 9
    await until(() => seen.out.split('\n').length > 2)
    child.kill('SIGINT')
    const { code, stdout, stderr } = await result
    expect(code).toBe(130)
    expect(seqs(stdout)).toEqual([8, 9])
    expect(stderr).toContain('panel events tail -o jsonl --after 9')
  })

  test('starts at a time', async () => {
    newest = 9
    const { stdout, stderr } = await run('events tail --since 2023-11-14T22:13:20.003Z --limit 2 -o jsonl')
    expect(seqs(stdout)).toEqual([3, 4])
    expect(stderr).toContain('after 2')
    expect(stub.lines()[0]).toBe('GET /events?limit=1&since=1700000000003')
  })
  test('starts after a cursor, reads page after page, and ends after --limit', async () => {
    newest = 1200
    const { code, stdout } = await run('events tail --after 3 --limit 1100 -o jsonl')
    expect(code).toBe(0)
    expect(seqs(stdout)).toEqual(Array.from({ length: 1100 }, (_, at) => at + 4))
  })

  test('prints lines for scripts, with one header line', async () => {
    newest = 2
    const { stdout } = await run('events tail --after 0 --limit 2 --columns seq,type,data.account.username')
    expect(stdout).toBe('seq\ttype\tdata.account.username\n1\taccount.created\talice\n2\tjob.completed\talice\n')
    expect(seqs((await run('events tail --after 0 --limit 2 -o json')).stdout)).toEqual([1, 2])
    expect((await run('events tail --after 0 --limit 2 --select type')).stdout).toBe('account.created\njob.completed\n')
    expect((await run('events tail --after 0 --limit 1 -o yaml')).stdout).toMatch(/^seq: 1\n[\s\S]*\n---\n$/)
  })

  test('sends types, and reads the feed of an account', async () => {
    newest = 1
    await run('events tail --after 0 --limit 1 --account alice --type account.*,job.failed --type job.completed')
    const last = stub.requests.at(-1)
    expect(last?.path).toBe(`/accounts/${ids.alice}/events`)
    expect(last?.query.get('type')).toBe('account.*,job.failed,job.completed')
    expect(Number(last?.query.get('wait'))).toBeGreaterThan(0)
  })

  test("follows the feed of its token's account", async () => {
    newest = 1
    stub.handle((request) => {
      if (request.path === '/events') return { status: 403, body: { type: 'x/token-scope', title: 'No' } }
      if (request.path === '/token') return { body: { account_id: ids.alice, principal_name: 'alice' } }
      return feed(request)
    })
    expect((await run('events tail --after 0 --limit 1')).code).toBe(0)
    expect(stub.requests.at(-1)?.path).toBe(`/accounts/${ids.alice}/events`)
  })

  test.each([
    ['--type acount.created', 'did you mean account.created?'],
    ['--type nothing.*', 'there is no event'],
    ['--after yesterday', '--after must be'],
    ['--after -1', '--after must be'],
    ['--since yesterday', '--since must be'],
    ['--since 3', '--since must be'],
    ['--since 1h --after 3', 'cannot be combined'],
    ['--limit 0', '--limit must be'],
    ['--columns shoe', 'there is no column'],
  ])('reports wrong usage for %s', async (more, message) => {
    const { code, stderr } = await run(`events tail ${more}`)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stub.lines()).toEqual([])
  })

  test('fails at once if nothing answers', async () => {
    expect((await run('events tail', { PANEL_URL: 'http://127.0.0.1:1' })).code).toBe(7)
    stub.handle(() => ({ status: 403, body: { type: 'x/token-scope', title: 'No' } }))
    expect((await run('events tail')).code).toBe(4)
  })

  test('resumes after a disconnect, with nothing missed or repeated, and says so', async () => {
    newest = 4
    let requests = 0
    stub.handle((request) => {
      requests++
      if (requests === 3) return { cut: true }
      if (requests === 4) return { status: 503 }
      if (requests === 5) {
        newest = 8
        return { status: 502, body: 'bad gateway' }
      }
      return feed(request)
    })
    const { code, stdout, stderr } = await run('events tail --after 0 --limit 8 -o jsonl')
    expect(code).toBe(0)
    expect(seqs(stdout)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(stderr.match(/lost the server/g)).toHaveLength(1)
    expect(stderr).toMatch(/is back after \d+ s; continuing after 4/)
  })

  test('ends when access is revoked, and says how to resume', async () => {
    newest = 2
    let requests = 0
    stub.handle((request) =>
      requests++ < 2 ? feed(request) : { status: 401, body: { type: 'x/unauthenticated', title: 'Out' } },
    )
    const { code, stderr } = await run('events tail --after 0 -o jsonl')
    expect(code).toBe(4)
    expect(stderr).toContain('to resume: panel events tail -o jsonl --after 2')
  })

  test('reports a gap', async () => {
    newest = 9
    pruned = 6
    const { stdout, stderr } = await run('events tail --after 2 --limit 3 -o jsonl')
    expect(seqs(stdout)).toEqual([7, 8, 9])
    expect(stderr).toContain('gap: events after 2 have been pruned')
  })

  test('reports when the feed itself was reset', async () => {
    newest = 5
    let requests = 0
    stub.handle((request) => {
      if (requests++ === 2) newest = 1
      if (requests === 4) newest = 2
      return feed(request)
    })
    const { stdout, stderr } = await run('events tail --after 3 --limit 3 -o jsonl')
    expect(seqs(stdout)).toEqual([4, 5, 2])
    expect(stderr).toContain('gap: the feed of')
  })

  test('prints no event twice even if the server sends it twice', async () => {
    let requests = 0
    stub.handle(() => {
      const items = requests++ === 0 ? [] : [event(1), event(2), event(2), event(1), event(3 + requests)]
      return { body: { items, next: requests === 1 ? 0 : 2 } }
    })
    const { stdout } = await run('events tail --limit 3 -o jsonl')
    expect(new Set(seqs(stdout)).size).toBe(3)
  })

  test.each([
    [{ items: [{ seq: 'x' }], next: 1 }],
    [{ items: [null], next: 1 }],
    [{ items: [] }],
    [{ items: [], next: '5' }],
    [[]],
  ])('does not accept %j as a feed', async (body) => {
    stub.handle(() => ({ body }))
    expect((await run('events tail')).code).toBe(1)
  })

  test('limits its rate even if the server does not', async () => {
    stub.handle((request) => ({ ...feed(request), delay: 0 }))
    const { child, result } = tail(['events', 'tail'])
    await new Promise((next) => setTimeout(next, 2500))
    child.kill('SIGINT')
    await result
    expect(stub.requests.length).toBeLessThan(6)
  })

  test('ends silently when its reader is gone', async () => {
    newest = 500
    const line = `"${process.execPath}" "${bin}" events tail --after 0 -q | head -1`
    const child = spawn('bash', ['-c', `set -o pipefail; ${line}`], { env: environment(env()) })
    expect(await ended(child)).toEqual({ code: 0, stdout: `${event(1).id}\n`, stderr: '' })
  })
})

interface Post {
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

/** A receiver that returns these responses in order. */
async function receiver(...statuses: (number | 'cut')[]) {
  const posts: Post[] = []
  const server = createServer(async (incoming, outgoing) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    posts.push({ headers: incoming.headers, body })
    const status = statuses.shift() ?? 204
    if (status === 'cut') return void outgoing.destroy()
    outgoing.writeHead(status, { location: 'http://127.0.0.1:1/' })
    outgoing.end('x'.repeat(100_000))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  return { posts, url, close: () => void server.close() }
}

describe('panel webhooks listen', () => {
  test('forwards each event once, with a line each', async () => {
    newest = 4
    const { posts, url, close } = await receiver(204, 500, 302, 'cut')
    const { code, stdout, stderr } = await run(`webhooks listen --forward-to ${url} --after 0 --limit 4`)
    close()
    expect(code).toBe(0)
    expect(posts.map(({ body }) => JSON.parse(body).id)).toEqual([1, 2, 3, 4].map((seq) => event(seq).id))
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.slice(9))
    expect(lines.filter((line) => line.startsWith('-->'))).toHaveLength(4)
    expect(lines[0]).toBe(`--> account.created ${event(1).id}`)
    expect(lines.filter((line) => line.startsWith('<--')).map((line) => line.replace(/\d+ ms/, 'N ms'))).toEqual([
      '<-- 204 account.created N ms',
      '<-- 500 job.completed N ms',
      '<-- 302 account.created N ms',
      '<-- the connection was closed job.completed N ms',
    ])
    expect(stderr.match(/whsec_/g)).toHaveLength(1)
    expect(stdout).not.toContain('whsec_')
  })

  test('reports when nothing listens, and continues', async () => {
    newest = 2
    const { code, stdout } = await run('webhooks listen --forward-to http://127.0.0.1:1/ --after 0 --limit 2 -o jsonl')
    expect(code).toBe(0)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { seq: 1, event_type: 'account.created', error: 'nothing is listening there' },
      { seq: 2, event_type: 'job.completed', error: 'nothing is listening there' },
    ])
  })

  test('can be interrupted during a request without reporting it as delivered', async () => {
    newest = 3
    const hanging = createServer(() => undefined)
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`
    const { child, seen, result } = tail(['webhooks', 'listen', '--forward-to', url, '--after', '0'])
    await until(() => seen.out.includes('-->'))
    child.kill('SIGINT')
    const { code, stderr } = await result
    hanging.closeAllConnections()
    hanging.close()
    expect(code).toBe(130)
    expect(stderr).toContain('--after 0')
  })

  test.each([
    '--forward-to http://192.0.2.1/',
    '--forward-to http://example.com/',
    '--forward-to http://127.0.0.1.example.com/',
    '--forward-to http://localhost@example.com/',
    '--forward-to http://user:pw@localhost/',
    '--forward-to ftp://localhost/',
    '--forward-to file:///etc/passwd',
    '--forward-to nonsense',
    '--forward-to http://localhost:1/ --events nothing',
  ])('reports wrong usage for %s', async (more) => {
    expect((await run(`webhooks listen ${more}`)).code).toBe(2)
    expect(stub.lines()).toEqual([])
  })

  test('needs a receiver, and a valid secret', async () => {
    expect((await run('webhooks listen')).code).toBe(6)
    const words = ['webhooks', 'listen', '--forward-to', 'http://localhost:1/', '--secret-stdin']
    const { code, stderr } = await panel(words, { env: env(), input: 'hunter22' })
    expect(code).toBe(2)
    expect(stderr).not.toContain('hunter22')
  })
})
