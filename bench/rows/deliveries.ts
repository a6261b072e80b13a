import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { inTurn, ratioOf } from '../compare.ts'
import { median, rounded } from '../figures.ts'
import { ask } from '../panel.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import type { Row } from '../row.ts'
import { id, type Seeded } from '../seed.ts'
import { memoryOf } from '../server.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const webhooks = 20
const each = 500
const all = webhooks * each
const posts = new URL('../baseline/posts.ts', import.meta.url).pathname

/** 10,000 deliveries that are due when the server starts: signed, sent, and each result written. */
export async function measure({ middle }: World): Promise<Row[]> {
  const receiver = await startReceiver()
  const bare = async () =>
    Number((await run(process.execPath, ['--import', 'tsx', posts, receiver.url, `${all}`])).stdout)
  const taken = await inTurn<Sent>({
    panel: () => deliverAll(copyOf(middle), receiver),
    bare: async () => ({ perSecond: await bare(), peak: 0 }),
  })
  receiver.close()
  const rates = (name: string) => taken[name]!.map(({ perSecond }) => perSecond)
  const idle = await withPanel(middle, async ({ pid }) => memoryOf(pid).now)
  const peak = median(taken['panel']!.map((sent) => sent.peak))
  return [
    {
      what: 'webhook deliveries',
      value: rounded(median(rates('panel'))),
      unit: 'requests/s',
      ratios: { 'undici, nothing signed or stored': ratioOf(rates('panel'), rates('bare')) },
    },
    {
      what: 'memory, most while 10,000 deliveries go out',
      value: rounded(peak),
      unit: 'MB',
      ratios: { 'panel as it starts': rounded(peak / idle) },
    },
  ]
}

const run = promisify(execFile)

interface Sent {
  readonly perSecond: number
  /** Megabytes. */
  readonly peak: number
}

async function deliverAll(store: Seeded, receiver: Receiver): Promise<Sent> {
  await withPanel(store, async () => {
    for (let made = 0; made < webhooks; made++)
      await ask(store.directory, 'POST', '/webhooks', { url: `${receiver.url}${made}` })
  })
  makeDue(store.directory)
  const ended = received(receiver)
  return withPanel(store, async ({ pid }) => {
    const perSecond = await ended
    return { perSecond, peak: memoryOf(pid).peak }
  })
}

function makeDue(directory: string): void {
  const store = new Database(join(directory, 'panel.db'))
  const insert = store.prepare(
    `INSERT INTO deliveries (webhook_id, id, event_seq, status, retry_at, created_at) VALUES (?, ?, ?, 'pending', @now, @now)`,
  )
  const hooks = store.prepare('SELECT id FROM webhooks').pluck().all() as string[]
  const now = Date.now()
  store.transaction(() => {
    for (const [place, webhook] of hooks.entries())
      for (let n = 0; n < each; n++) insert.run(webhook, id(place * each + n), n + 1, { now })
  })()
  store.close()
}

/** How many came in a second, from the first to the last. */
function received(receiver: Receiver): Promise<number> {
  let [count, began] = [0, 0]
  return new Promise((resolve) =>
    receiver.report(() => {
      if (count++ === 0) began = performance.now()
      if (count === all) resolve(all / ((performance.now() - began) / 1000))
    }),
  )
}
