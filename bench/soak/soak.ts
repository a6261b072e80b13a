// Mixed load with a kill -9 every minute: `npm run bench:soak -- 20` for twenty minutes. Ends with 1 when anything was lost.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Acknowledged, caller } from './load.ts'
import { Receiver } from './receiver.ts'
import { freePort, type Holding, Server } from './server.ts'

const minutes = Math.min(60, Math.max(1, Number(process.argv[2] ?? 20)))
const callers = 6
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const receiver = new Receiver()
const seen = new Acknowledged()
const server = new Server(mkdtempSync(join(tmpdir(), 'panel-soak-')), await freePort())
const lives: (Holding & { startMs: number })[] = []

async function life(startMs: number): Promise<void> {
  await pause(60_000)
  const inUse = { ...server.holding(), startMs }
  lives.push(inUse)
  console.log(
    `life ${lives.length}: rss ${inUse.rssMb.toFixed(0)} MB, ${inUse.descriptors} descriptors, wal ${inUse.walMb.toFixed(1)} MB, well after ${startMs.toFixed(0)} ms; ${seen.requests} requests, ${seen.created.size} created`,
  )
  await server.kill()
}

/** Everything that is queued has ended, and every event has arrived. */
async function settle(): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const open = await Promise.all(
      ['queued', 'leased', 'running'].map((status) => server.send('GET', `/api/v1/jobs?status=${status}&per_page=1`)),
    )
    if (open.every(({ body }) => body.total === 0) && receiver.events.size >= count('events')) return
    await pause(100)
  }
}

const store = (): Database.Database => new Database(join(server.dataDir, 'panel.db'), { readonly: true })
const count = (table: string): number => one(`SELECT count(*) FROM ${table}`)

function one(sql: string): number {
  const db = store()
  try {
    return db.prepare(sql).pluck().get() as number
  } finally {
    db.close()
  }
}

/** What must hold, and how often it does not. */
function violations(): Record<string, number> {
  const db = store()
  const ids = new Set(db.prepare('SELECT id FROM accounts').pluck().all() as string[])
  const events = db.prepare('SELECT id FROM events').pluck().all() as string[]
  const created = new Set(
    db.prepare("SELECT account_id FROM events WHERE type = 'account.created'").pluck().all() as string[],
  )
  const ends = db
    .prepare(
      "SELECT count(*) FROM (SELECT json_extract('{' || core || '}', '$.data.job_id') AS job FROM events WHERE type LIKE 'job.%' GROUP BY job HAVING count(*) > 1)",
    )
    .pluck()
    .get() as number
  const acknowledged = [...seen.created.keys()]
  const result = {
    'creates acknowledged and lost': acknowledged.filter((id) => !ids.has(id) && !seen.terminated.has(id)).length,
    'creates without their event': acknowledged.filter((id) => !created.has(id)).length,
    'terminations acknowledged and undone': [...seen.terminated].filter((id) => ids.has(id)).length,
    'jobs without an end': db
      .prepare("SELECT count(*) FROM jobs WHERE status IN ('queued', 'leased', 'running')")
      .pluck()
      .get() as number,
    'jobs that failed': db.prepare("SELECT count(*) FROM jobs WHERE status = 'failed'").pluck().get() as number,
    'jobs reported ended twice': ends,
    'events that never arrived': events.filter((id) => !receiver.events.has(id)).length,
    'delivery numbers that repeated': receiver.repeated,
    'store damaged': db.pragma('integrity_check', { simple: true }) === 'ok' ? 0 : 1,
  }
  db.close()
  return result
}

function trend(of: keyof Holding): string {
  const half = Math.floor(lives.length / 2)
  const mean = (all: typeof lives) => all.reduce((sum, inUse) => sum + inUse[of], 0) / Math.max(1, all.length)
  return `${of}: first half ${mean(lives.slice(0, half)).toFixed(1)}, second half ${mean(lives.slice(half)).toFixed(1)}, highest ${Math.max(...lives.map((inUse) => inUse[of])).toFixed(1)}`
}

let stopped = false
let startMs = await server.start()
await server.send('POST', '/api/v1/webhooks', { url: await receiver.listen() })
const load = Array.from({ length: callers }, (_, number) => caller(server, seen, number, () => stopped))
for (let minute = 0; minute < minutes; minute++) {
  await life(startMs)
  startMs = await server.start()
}
stopped = true
await Promise.all(load)
await settle()
const found = violations()
await server.stop()
receiver.close()
console.log(
  `\n${minutes} minutes, ${minutes} kills: ${seen.requests} requests answered, ${seen.lost} cut off, ${seen.created.size} creates acknowledged, ${receiver.requests} deliveries of ${receiver.events.size} events`,
)
for (const of of ['rssMb', 'descriptors', 'walMb'] as const) console.log(trend(of))
for (const [what, times] of Object.entries(found)) console.log(`${what}: ${times}`)
rmSync(server.dataDir, { recursive: true, force: true })
process.exitCode = Object.values(found).some((times) => times > 0) ? 1 : 0
