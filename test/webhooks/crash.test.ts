import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { ServerProcess } from './process.ts'
import { type Receiver, startReceiver, status } from './receiver.ts'

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 25)
const hooks = 3
const clients = 4
/** Requests to one webhook at a time. */
const places = 4
/** How long a round waits for remaining deliveries: on a busy machine everything is slow. */
const timeoutMs = 60_000

function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-crash-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Reads the store of a server that is not running. */
function look<T>(dataDir: string, read: (db: Database.Database) => T): T {
  const db = new Database(join(dataDir, 'panel.db'))
  try {
    return read(db)
  } finally {
    db.close()
  }
}

/** A delivery that a dead server left to send: its number until then, and `<hook> <event id>`. */
interface Left {
  readonly id: string
  readonly webhook_id: string
  readonly number: number
  readonly key: string
}

const leftOver = (dataDir: string): Left[] =>
  look(dataDir, (db) =>
    db
      .prepare(
        `SELECT d.id, webhook_id, number, substr(url, -1) || ' ' || e.id AS key FROM deliveries d
         JOIN events e ON e.seq = d.event_seq JOIN webhooks w ON w.id = d.webhook_id
         WHERE d.due_at <= ? OR d.sent_at IS NOT NULL`,
      )
      .all(Date.now()),
  ) as Left[]

const newest = (dataDir: string): number =>
  look(dataDir, (db) => db.prepare('SELECT coalesce(max(seq), 0) FROM events').pluck().get()) as number

/** Every attempt, including those interrupted by a crash. */
const tries = `WITH tries AS (SELECT delivery_id AS id, number, at FROM delivery_attempts
  UNION ALL SELECT id, number, sent_at FROM deliveries WHERE sent_at IS NOT NULL)`

/** What let younger events go first, more than may go along with it: a lease would hold it back so. */
function existingBack(dataDir: string, left: readonly Left[], seq: number): Left[] {
  return look(dataDir, (db) => {
    const before = db
      .prepare(
        `${tries} SELECT count(*) FROM tries JOIN deliveries USING (id) WHERE webhook_id = @webhook_id AND event_seq > @seq
         AND at < coalesce((SELECT min(at) FROM tries WHERE id = @id AND tries.number > @number), 9e15)`,
      )
      .pluck()
    return left.filter((one) => (before.get({ ...one, seq }) as number) >= places)
  })
}

const arrivals = (receiver: Receiver): string[] =>
  receiver.received.map(({ url, headers }) => `${url.at(-1)} ${headers['webhook-id']}`)

function arrived(receiver: Receiver, expected: readonly Left[], from: number): boolean {
  const got = new Set(arrivals(receiver).slice(from))
  return expected.every(({ key }) => got.has(key))
}

/** Creates packages until it is stopped or the server dies; records what was acknowledged. */
async function load(server: ServerProcess, name: () => string, acknowledged: string[], isOver: () => boolean) {
  while (!isOver()) {
    const mine = name()
    const answer = await server.send('POST', '/packages', { name: mine }).catch(() => undefined)
    if (!answer) return
    expect(answer.status, answer.body).toBe(201)
    acknowledged.push(mine)
    await wait(10)
  }
}

async function until(done: () => boolean, ms: number): Promise<number> {
  const began = performance.now()
  while (!done() && performance.now() - began < ms) await wait(10)
  return performance.now() - began
}

test(
  `kill -9 at ${rounds} random points loses nothing and repeats no number`,
  async () => {
    const dataDir = scratch()
    const receiver = await startReceiver((request, response, body) =>
      Math.random() < 0.2
        ? void setTimeout(() => status(200)(request, response, body), Math.random() * 40)
        : status(200)(request, response, body),
    )
    const first = await ServerProcess.start(dataDir)
    for (let hook = 1; hook <= hooks; hook++)
      expect((await first.send('POST', '/webhooks', { url: `${receiver.url}/${hook}` })).status).toBe(201)
    await first.kill()
    const acknowledged: string[] = []
    const recoveries: number[] = []
    let count = 0
    for (let round = 0; round < rounds; round++) {
      const left = leftOver(dataDir)
      const seq = newest(dataDir)
      const seen = receiver.received.length
      const server = await ServerProcess.start(dataDir)
      const recovered = until(() => arrived(receiver, left, seen), timeoutMs)
      let over = false
      const loads = Array.from({ length: clients }, () =>
        load(
          server,
          () => `p${count++}`,
          acknowledged,
          () => over,
        ),
      )
      if (left.length > 0) recoveries.push(await recovered)
      await wait(Math.random() * 250)
      await server.kill()
      over = true
      await Promise.all(loads)
      expect(server.errors).toBe('')
      expect(existingBack(dataDir, left, seq)).toEqual([])
    }
    const left = leftOver(dataDir)
    const seen = receiver.received.length
    const last = await ServerProcess.start(dataDir)
    await until(() => arrived(receiver, left, seen), timeoutMs)
    await last.stop()

    const stored = look(dataDir, (db) => ({
      packages: db.prepare("SELECT name FROM packages WHERE name LIKE 'p%'").pluck().all() as string[],
      events: db
        .prepare(
          "SELECT id, json_extract('{' || core || '}', '$.data.details.name') AS name FROM events WHERE type = 'package.created'",
        )
        .all() as { id: string; name: string }[],
      deliveries: db
        .prepare(
          "SELECT substr(url, -1) || ' ' || e.id AS key, d.status FROM deliveries d JOIN events e ON e.seq = d.event_seq JOIN webhooks w ON w.id = d.webhook_id",
        )
        .all() as { key: string; status: string }[],
      unsound: db.pragma('integrity_check', { simple: true }),
    }))
    expect(stored.unsound).toBe('ok')
    expect(acknowledged.length).toBeGreaterThan(rounds / 2)
    const packages = new Set(stored.packages)
    expect(acknowledged.filter((name) => !packages.has(name))).toEqual([])
    expect(stored.events.map(({ name }) => name).sort()).toEqual([...stored.packages].sort())
    const due = stored.events.flatMap(({ id }) => Array.from({ length: hooks }, (_, hook) => `${hook + 1} ${id}`))
    expect(stored.deliveries.map(({ key }) => key).sort()).toEqual(due.sort())
    expect(stored.deliveries.filter((one) => one.status !== 'succeeded')).toEqual([])
    const got = arrivals(receiver)
    expect(due.filter((key) => !got.includes(key))).toEqual([])
    const numbers = receiver.received.map(({ url, headers }) => `${url.at(-1)} ${headers['x-panel-delivery']}`)
    expect(new Set(numbers).size).toBe(numbers.length)
    const twice = got.length - new Set(got).size
    console.info(
      `${rounds} kills: ${acknowledged.length} acknowledged, ${due.length} deliveries, ${twice} sent twice, recovery ${Math.round(Math.max(0, ...recoveries))} ms at most`,
    )
  },
  Math.max(300_000, rounds * 10_000),
)

const isServed = (server: ServerProcess): Promise<boolean> =>
  server.send('GET', '/webhooks').then(
    () => true,
    () => false,
  )

test('SIGTERM waits for attempts in flight, and sends nothing new', async () => {
  const dataDir = scratch()
  const answers: (() => void)[] = []
  const receiver = await startReceiver((...all) => void answers.push(() => status(200)(...all)))
  const server = await ServerProcess.start(dataDir)
  await server.send('POST', '/webhooks', { url: receiver.url })
  for (let count = 0; count < 10; count++) await server.send('POST', '/packages', { name: `p${count}` })
  await receiver.got(places)
  const stopped = server.stop()
  while (await isServed(server)) await wait(10)
  for (const answer of answers) answer()
  await stopped
  const states = look(dataDir, (db) =>
    db.prepare('SELECT status, count(*) AS count FROM deliveries GROUP BY status ORDER BY status').all(),
  )
  expect(states).toEqual([
    { status: 'pending', count: 6 },
    { status: 'succeeded', count: 4 },
  ])
  expect(server.errors).toBe('')
}, 60_000)

test('SIGTERM ends it also while a receiver hangs, when the attempt has had its ten seconds', async () => {
  const dataDir = scratch()
  const receiver = await startReceiver(() => {})
  const server = await ServerProcess.start(dataDir)
  await server.send('POST', '/webhooks', { url: receiver.url })
  await server.send('POST', '/packages', { name: 'small' })
  await receiver.got(1)
  await server.stop()
  const attempts = look(dataDir, (db) => db.prepare('SELECT number, error FROM delivery_attempts').all())
  expect(attempts).toEqual([{ number: 1, error: 'timeout' }])
}, 60_000)
