import { chmodSync, mkdirSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { version } from '../../src/cli/root.ts'
import { ownCertificate } from '../../src/server/tls.ts'
import { ensureServerBuilt, inProcess } from './run.ts'
import { scratchFolder, startServer } from './server.ts'
import { ids, type Reply, type Stub, startStub } from './stub.ts'

interface Check {
  check: string
  status: string
  message: string
  next?: string
}

interface Visit {
  readonly code: number
  /** Check to its findings. */
  readonly found: Readonly<Record<string, Check>>
}

async function doctor(words: readonly string[], env: Record<string, string> = {}): Promise<Visit> {
  const { code, stdout, stderr } = await inProcess(['doctor', '--output', 'json', ...words], env)
  expect(stderr).toBe('')
  const checks = JSON.parse(stdout) as Check[]
  for (const { status, message, next } of checks) {
    expect(message).toMatch(/\.$|: /)
    if (status !== 'ok') expect(next).toMatch(/./)
  }
  expect(code).toBe(checks.some(({ status }) => status === 'bad') ? 1 : 0)
  return { code, found: Object.fromEntries(checks.map((check) => [check.check, check])) }
}

describe('doctor of a host without a server', () => {
  /** A directory as a server leaves it. */
  function left(): string {
    const dataDir = scratchFolder()
    mkdirSync(join(dataDir, 'tls'))
    writeFileSync(join(dataDir, 'panel.db'), '')
    writeFileSync(join(dataDir, 'secret.key'), Buffer.alloc(32), { mode: 0o600 })
    writeFileSync(join(dataDir, 'tls/key.pem'), '', { mode: 0o600 })
    return dataDir
  }

  test('reports a missing data directory', async () => {
    const { found } = await doctor(['--data-dir', '/nonexistent/panel'])
    expect(found['directory']).toMatchObject({
      status: 'bad',
      message: 'There is no data directory /nonexistent/panel.',
    })
  })

  test('looks at the directory that `npm start` in a clone keeps its data in', async () => {
    const [clone, home] = [realpathSync(scratchFolder()), scratchFolder()]
    const env = { XDG_DATA_HOME: home, PANEL_DATA_DIR: '', HOME: home }
    const before = process.cwd()
    process.chdir(clone)
    onTestFinished(() => process.chdir(before))
    mkdirSync(join(clone, '.panel'), { mode: 0o700 })
    writeFileSync(join(clone, '.panel/panel.sock'), '')
    const { found } = await doctor([], env)
    expect(found['directory']?.message).toContain(join(clone, '.panel'))
    expect(found['socket']).toMatchObject({ status: 'bad', next: expect.stringMatching(/npm start$/) })
    // Stopped, it is named.
    rmSync(join(clone, '.panel/panel.sock'))
    writeFileSync(join(clone, '.panel/panel.db'), '')
    const stopped = (await doctor([], env)).found['directory']
    expect(stopped?.next).toContain('npm start')
  })

  test('says how to start a server', async () => {
    const dataDir = left()
    const { found } = await doctor(['--data-dir', dataDir])
    expect(found['socket']).toMatchObject({ status: 'bad', next: `panel serve --data-dir ${dataDir}` })
    for (const check of ['directory', 'keys', 'disk', 'inodes']) expect(found[check]?.status).toBe('ok')
  })

  test('reports a socket that nothing listens on', async () => {
    const dataDir = left()
    const server = createServer().listen(join(dataDir, 'other.sock'))
    await new Promise((resolve) => server.once('listening', resolve))
    onTestFinished(() => void server.close())
    writeFileSync(join(dataDir, 'panel.sock'), '')
    expect((await doctor(['--data-dir', dataDir])).found['socket']?.message).toMatch(/is not a socket/)
  })

  test('reports a data directory that is open to others', async () => {
    const dataDir = left()
    chmodSync(dataDir, 0o755)
    expect((await doctor(['--data-dir', dataDir])).found['directory']?.next).toBe(`chmod 700 ${dataDir}`)
  })

  test.each([
    ['lost', (key: string) => rmSync(key), 'is missing'],
    ['cut off', (key: string) => truncateSync(key, 5), 'must hold 32 bytes'],
    ['open to others', (key: string) => chmodSync(key, 0o644), 'can be read by other users'],
  ])('reports a key that is %s', async (_what, spoil, message) => {
    const dataDir = left()
    spoil(join(dataDir, 'secret.key'))
    expect((await doctor(['--data-dir', dataDir])).found['keys']).toMatchObject({
      status: 'bad',
      message: expect.stringContaining(message),
    })
  })

  test('reports a log that has grown large', async () => {
    const dataDir = left()
    writeFileSync(join(dataDir, 'panel.db-wal'), '')
    truncateSync(join(dataDir, 'panel.db-wal'), 70_000_000)
    expect((await doctor(['--data-dir', dataDir])).found['log']?.status).toBe('warn')
  })
})

describe('doctor of a host with a server', () => {
  beforeAll(ensureServerBuilt)

  test('reports a healthy host', async () => {
    const dataDir = scratchFolder()
    await startServer(dataDir)
    const { code, found } = await doctor(['--data-dir', dataDir])
    expect(code).toBe(0)
    expect(Object.values(found).filter(({ status }) => status !== 'ok')).toEqual([])
    expect(Object.keys(found)).toEqual([
      ...['directory', 'keys', 'disk', 'inodes', 'log', 'socket', 'server', 'clock', 'version', 'certificate'],
      ...['host', 'jobs', 'failures', 'webhooks', 'license'],
    ])
  })

  test.each([
    ['has expired', 'localhost', -400, 'has expired'],
    ['is for another name', 'other.example', 0, 'is not for panel.example'],
    ['is about to expire', 'panel.example', -390, 'expires in'],
  ])('reports a certificate that %s', async (_what, name, days, message) => {
    const [dataDir, tls] = [scratchFolder(), scratchFolder()]
    await ownCertificate(tls, name, Date.now() + days * 86_400_000)
    const input = ['--tls-cert', join(tls, 'cert.pem'), '--tls-key', join(tls, 'key.pem')]
    await startServer(dataDir, ['--hostname', 'panel.example', ...input])
    const { found } = await doctor(['--data-dir', dataDir])
    expect(found['certificate']?.message).toContain(message)
  })

  test('reports a socket that others can open', async () => {
    const dataDir = scratchFolder()
    await startServer(dataDir)
    chmodSync(join(dataDir, 'panel.sock'), 0o666)
    const { found } = await doctor(['--data-dir', dataDir])
    expect(found['socket']?.next).toBe(`chmod 600 ${join(dataDir, 'panel.sock')}`)
  })
})

describe('doctor of a remote server', () => {
  let stub: Stub
  beforeAll(async () => {
    stub = await startStub()
  })
  beforeEach(() => stub.reset())
  afterAll(() => stub.close())

  const healthy: Record<string, Reply> = {
    '/openapi.json': { body: { info: { version: version() } } },
    '/host': { body: { driver: 'directory', agent: { status: 'idle' }, trust_tenants: false } },
    '/nodes': { body: { items: [{ id: ids.job, name: 'local', state: 'active' }], total: 1 } },
    '/jobs': { body: { items: [], total: 0 } },
    '/webhooks': { body: { items: [], total: 0 } },
    '/license': { body: { valid_until: null, valid: true } },
    '/healthz': { body: { status: 'ok' } },
  }

  /** Where a response differs from that of a healthy server. */
  async function where(path: string, reply: Reply): Promise<Visit> {
    stub.handle((request) => (request.path === path ? reply : healthy[request.path]))
    return doctor([], { PANEL_URL: stub.url })
  }

  test('reports a healthy remote server', async () => {
    const { code, found } = await where('/nothing', {})
    expect(code).toBe(0)
    expect(Object.keys(found)).toEqual([
      ...['server', 'clock', 'version'],
      ...['host', 'jobs', 'failures', 'webhooks', 'license'],
    ])
  })

  const debian = (state: string, ...kinds: string[]) => ({
    driver: 'debian',
    agent: { status: 'running' },
    machine: {
      services: [
        { name: 'nginx', unit: 'nginx.service', state },
        { name: 'php', unit: 'panel-php@*.service', state: 'inactive' },
      ],
      unenforced: kinds.map((kind) => ({ kind, reason: 'No.' })),
    },
  })
  const ago = (hours: number): number => Date.now() - hours * 3_600_000
  const job = { id: ids.job, kind: 'account.create', created_at: ago(2), started_at: ago(2), finished_at: ago(2) }
  const waiting = { ...job, waiting_for: 'Node web2 is down: the connection was lost.' }
  const hook = { id: ids.token, url: 'https://hooks.example', enabled: false, disabled_reason: '50 failures' }
  const node = { id: ids.job, name: 'web2', state: 'down', reason: 'Node web2 is down: the connection was lost.' }
  const ending = { id: ids.job, name: 'web2', state: 'active', certificate_expires_at: ago(-3) }
  const forbidden = { type: 'https://x.example/problems/forbidden', title: 'Forbidden', status: 403 }

  test.each<[string, string, Reply, string, string]>([
    ['is not well', '/healthz', { status: 503, body: { status: 'unhealthy' } }, 'server', 'bad'],
    [
      'was taken over from',
      '/healthz',
      { status: 503, body: { status: 'unhealthy', detail: 'Another server took over from this one.' } },
      'server',
      'bad',
    ],
    ['is behind', '/healthz', { body: {}, headers: { date: new Date(ago(1)).toUTCString() } }, 'clock', 'bad'],
    ['is ahead', '/healthz', { body: {}, headers: { date: new Date(ago(-1)).toUTCString() } }, 'clock', 'bad'],
    ['is of another version', '/openapi.json', { body: { info: { version: '9.9.9' } } }, 'version', 'warn'],
    [
      'has no host agent',
      '/host',
      { body: { driver: 'debian', agent: { status: 'unreachable', reason: 'No.' } } },
      'host',
      'bad',
    ],
    [
      'runs what accounts want to run',
      '/host',
      { body: { driver: 'directory', agent: { status: 'idle' }, trust_tenants: true } },
      'host',
      'warn',
    ],
    [
      'has accounts on its host that it does not know',
      '/host',
      {
        body: {
          driver: 'directory',
          agent: { status: 'running' },
          unknown_accounts: [{ id: ids.job, username: 'zoe' }],
        },
      },
      'host',
      'warn',
    ],
    ['has a service that is down', '/host', { body: debian('failed') }, 'services', 'bad'],
    ['has its services', '/host', { body: debian('active') }, 'services', 'ok'],
    [
      'has a service that would not start again',
      '/host',
      {
        body: {
          ...debian('active'),
          machine: {
            ...debian('active').machine,
            misconfigured: [{ name: 'nginx', check: '/usr/sbin/nginx -t', reason: 'unknown directive in x.conf:1' }],
          },
        },
      },
      'configuration',
      'bad',
    ],
    ['cannot enforce every limit', '/host', { body: debian('active', 'disk') }, 'limits', 'warn'],
    ['has a job that does not get on', '/jobs', { body: { items: [job], total: 1 } }, 'jobs', 'warn'],
    ['has jobs that failed', '/jobs', { body: { items: [job], total: 1 } }, 'failures', 'warn'],
    ['has a node that is down', '/nodes', { body: { items: [node], total: 1 } }, 'nodes', 'bad'],
    ['has a node whose certificate ends', '/nodes', { body: { items: [ending], total: 1 } }, 'nodes', 'warn'],
    ['switched a webhook off', '/webhooks', { body: { items: [hook], total: 1 } }, 'webhooks', 'warn'],
    ['has no license', '/license', { body: { valid_until: ago(1), valid: false } }, 'license', 'bad'],
    ['has a license that ends', '/license', { body: { valid_until: ago(-5), valid: true } }, 'license', 'warn'],
    ['tells the token nothing', '/license', { status: 403, body: forbidden }, 'token', 'warn'],
  ])('reports %s', async (_what, path, reply, check, status) =>
    expect((await where(path, reply)).found[check]?.status).toBe(status),
  )

  test('uses the singular for one item', async () => {
    const received = async (path: string, one: object, check: string) =>
      (await where(path, { body: { items: [one], total: 1 } })).found[check]?.message
    expect(await received('/jobs', job, 'failures')).toMatch(/^1 job failed in the last day, /)
    const queued = { ...job, created_at: ago(0.5), started_at: ago(0.5) }
    expect(await received('/jobs', queued, 'jobs')).toMatch(/^1 job is stuck; /)
    expect(await received('/webhooks', hook, 'webhooks')).toMatch(/^The server has switched off 1 webhook; /)
  })

  test('does not report jobs that wait for a node as stuck', async () => {
    const jobs = async (...items: object[]) => (await where('/jobs', { body: { items, total: 1 } })).found['jobs']
    expect(await jobs(waiting)).toMatchObject({ status: 'ok', message: expect.stringContaining(waiting.waiting_for) })
    const both = await jobs(waiting, waiting, job)
    expect(both).toMatchObject({ status: 'warn', next: `panel jobs show ${job.id}` })
  })

  /** Lists with several pages: of jobs, the one in one status. */
  async function listed(of: string, all: readonly object[], status: string | null = null): Promise<Visit['found']> {
    stub.handle(({ path, query }) => {
      if (path !== of || query.get('status') !== status) return healthy[path]
      const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 50)]
      return { body: { items: all.slice((page - 1) * size, page * size), total: all.length } }
    })
    return (await doctor([], { PANEL_URL: stub.url })).found
  }
  const queued = async (jobs: readonly object[]) => (await listed('/jobs', jobs, 'queued'))['jobs']
  const pagesRead = (of: RegExp) => stub.lines().filter((line) => of.test(line)).length

  test('reports a stuck job after many that wait for a node', async () => {
    const many = new Array(1000).fill(waiting)
    expect(await queued([...many, job])).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(/^1 job is stuck; /),
      next: `panel jobs show ${job.id}`,
    })
    expect((await queued([...many, waiting]))?.message).toMatch(/^No job is stuck; 1001 wait for a node: /)
  })

  test('does not read all of many new jobs', async () => {
    const fresh = { id: ids.job, kind: 'account.create', created_at: Date.now() }
    expect((await queued([job, ...new Array(1000).fill(fresh)]))?.message).toMatch(/^1 job is stuck; /)
    expect(pagesRead(/\/jobs\?.*status=queued/)).toBe(1)
  })

  test('reports many failed jobs, one of which had waited for days', async () => {
    const failed = async (jobs: readonly object[]) => (await listed('/jobs', jobs, 'failed'))['failures']
    const waited = { ...job, id: ids.list, kind: 'account.delete', created_at: ago(99), finished_at: ago(1) }
    const before = { ...job, created_at: ago(50), finished_at: ago(50) }
    expect(await failed([waited, ...new Array(600).fill(before), ...new Array(600).fill(job)])).toMatchObject({
      message: expect.stringMatching(/^601 jobs failed in the last day, most recently account\.delete: /),
      next: `panel jobs show ${waited.id}`,
    })
    stub.reset()
    expect((await failed(new Array(100).fill(job)))?.message).toMatch(/^100 jobs failed in the last day, /)
    expect(pagesRead(/\/jobs\?.*status=failed/)).toBe(1)
  })

  test('reports a node that is down after many others', async () => {
    const well = { id: ids.job, name: 'web1', state: 'active' }
    expect((await listed('/nodes', [...new Array(600).fill(well), node]))['nodes']?.status).toBe('bad')
    stub.reset()
    expect((await listed('/nodes', [well, well]))['nodes']?.status).toBe('ok')
    expect(pagesRead(/\/nodes/)).toBe(1)
  })

  test('reports an unreachable server', async () => {
    const { found } = await doctor([], { PANEL_URL: 'http://127.0.0.1:1' })
    expect(found).toMatchObject({ server: { status: 'bad' } })
  })
})
