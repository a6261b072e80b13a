import { describe, expect, test } from 'vitest'
import { Metrics } from '../../src/runtime/metrics/registry.ts'
import { PausedDriver } from '../drivers.ts'
import { type Reply, type Send, startPanel, type TestPanel } from '../harness.ts'
import { resellerToken, signIn } from '../world.ts'

const scrape = (panel: TestPanel, options?: Send): Promise<Reply> =>
  panel.send('GET', 'https://host.example:7711/metrics', options)

/** The value of a line. */
async function sampled(panel: TestPanel, line: string): Promise<number | undefined> {
  const found = (await scrape(panel)).body.split('\n').find((one: string) => one.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.slice(line.length))
}

describe('/metrics', () => {
  test('shows metrics to root: over the socket, or with a token that reads the area server', async () => {
    const panel = await startPanel()
    const rita = await panel.account('rita', { make_reseller: true, password: 'correct horse' })
    const alice = await panel.account('alice', { password: 'correct horse' })
    const callers: [string, Send, number][] = [
      ['the socket', {}, 200],
      ['server:read', { token: await panel.token(['server:read']) }, 200],
      ['read-only', { token: await panel.token(['read-only']) }, 200],
      ['accounts:write', { token: await panel.token(['accounts:write']) }, 403],
      ['a reseller', { token: await resellerToken(panel, rita.id, ['all']) }, 403],
      ['an account', { token: await panel.token(['full-access'], { account: alice.id }) }, 403],
      ['a customer', { from: '192.0.2.1', headers: await signIn(panel, 'alice', 'correct horse') }, 403],
      ['nobody', { from: '192.0.2.1' }, 401],
      ['a bad token', { token: 'pnl_nothing' }, 401],
    ]
    for (const [who, options, status] of callers) expect((await scrape(panel, options)).status, who).toBe(status)
    const proxied = await scrape(panel, { headers: { 'X-Forwarded-For': '192.0.2.1' } })
    expect(proxied.status).toBe(400)
  })
  test('prints what Prometheus reads: each line is a sample of a declared metric', async () => {
    const panel = await startPanel()
    await panel.account('alice')
    const { body, headers } = await scrape(panel)
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const names = new Set<string>()
    for (const line of body.trimEnd().split('\n')) {
      const [, kind, name] = /^# (HELP|TYPE) (\w+) \S/.exec(line) ?? []
      if (kind) names.add(name!)
      else expect(line).toMatch(/^\w+(\{(\w+="([^"\\\n]|\\.)*",?)+\})? -?[0-9.e+-]+$/)
      if (!kind) expect([...names].some((one) => line.startsWith(one))).toBe(true)
    }
    expect([...names]).toEqual(expect.arrayContaining(announced))
  })
  test('counts requests by operation and status, and their duration', async () => {
    const panel = await startPanel()
    for (let requests = 0; requests < 3; requests++) await panel.get('/packages')
    await panel.get('/packages?odd=1')
    expect(await sampled(panel, 'panel_requests_total{operation="listPackages",status="200"}')).toBe(3)
    expect(await sampled(panel, 'panel_requests_total{operation="listPackages",status="400"}')).toBe(1)
    expect(await sampled(panel, 'panel_request_duration_seconds_count{operation="listPackages"}')).toBe(4)
    expect(await sampled(panel, 'panel_request_duration_seconds_bucket{operation="listPackages",le="+Inf"}')).toBe(4)
  })
  test('shows waiting jobs, since when, and how they ended', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({
      driver: (root) => {
        driver = new PausedDriver(root)
        return driver
      },
    })
    for (let made = 0; made < 10; made++)
      await panel.post('/accounts', { username: `user${made}`, domain: `user${made}.example` })
    panel.clock.jump(5000)
    expect(await sampled(panel, 'panel_jobs{status="queued"}')).toBe(2)
    expect(await sampled(panel, 'panel_jobs{status="running"}')).toBe(8)
    expect(await sampled(panel, 'panel_job_oldest_due_seconds')).toBe(5)
    driver!.release()
    await panel.settle()
    expect(await sampled(panel, 'panel_jobs{status="queued"}')).toBe(0)
    expect(await sampled(panel, 'panel_job_oldest_due_seconds')).toBe(0)
    expect(await sampled(panel, 'panel_jobs_ended_total{kind="account.create",status="succeeded"}')).toBe(10)
  })
  test('shows waiting deliveries, and the results of attempts', async () => {
    const panel = await startPanel()
    const made = await panel.post('/webhooks', { url: 'https://hooks.example/x', events: ['package.created'] })
    expect(made.status).toBe(201)
    await panel.post('/packages', { name: 'small' })
    await panel.dispatcher.idle()
    expect(await sampled(panel, 'panel_deliveries{state="later"}')).toBe(1)
    expect(await sampled(panel, 'panel_delivery_attempts_total{outcome="dns"}')).toBe(1)
    panel.clock.jump(100_000)
    expect(await sampled(panel, 'panel_deliveries{state="due"}')).toBe(1)
    expect(await sampled(panel, 'panel_delivery_oldest_due_seconds')).toBeGreaterThan(30)
  })
  test('omits what cannot be read, and shows the rest', async () => {
    const metrics = new Metrics()
    const troubles: string[] = []
    metrics.gauge('broken', 'Is not there.', () => {
      throw new Error('no')
    })
    metrics.gauge('whole', 'Is there.', () => 1)
    const text = metrics.text(({ name }) => troubles.push(name))
    expect([text, troubles]).toEqual(['# HELP whole Is there.\n# TYPE whole gauge\nwhole 1\n', ['broken']])
  })
  test('escapes values that callers can choose', () => {
    const metrics = new Metrics()
    metrics.counter('named', 'By name.', 'name').inc('a"b\\c\nd')
    expect(metrics.text(() => {})).toContain('named{name="a\\"b\\\\c\\nd"} 1\n')
  })
})

const announced = [
  'panel_requests_total',
  'panel_request_duration_seconds',
  'panel_jobs',
  'panel_job_oldest_due_seconds',
  'panel_deliveries',
  'panel_delivery_oldest_due_seconds',
  'panel_event_loop_delay_seconds',
  'panel_store_bytes',
  'panel_store_wal_bytes',
  'panel_store_disk_free_bytes',
  'panel_store_healthy',
  'panel_changes_waiting',
  'process_resident_memory_bytes',
  'panel_build_info',
]

describe('request id', () => {
  test('passes the request id on to what it causes: the job, its end, the event and each of its deliveries', async () => {
    const panel = await startPanel()
    await panel.post('/webhooks', { url: 'https://hooks.example/x', events: ['account.created'] })
    panel.logged.length = 0
    const made = await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
    const id = made.headers.get('x-request-id')!
    await panel.settle()
    await panel.dispatcher.idle()
    const about = (words: string) => panel.logged.filter((line) => line.includes(words) && line.includes(id))
    expect(about('"operation":"createAccount"')).toHaveLength(1)
    expect(about('job ended')).toHaveLength(1)
    expect(about('a delivery attempt failed')).toHaveLength(1)
    const stored = (table: string) =>
      panel.store.sqlite.prepare(`SELECT DISTINCT request_id FROM ${table} ORDER BY rowid DESC LIMIT 1`).pluck().get()
    expect([stored('jobs'), stored('audit'), stored('events')]).toEqual([id, id, id])
  })
})
