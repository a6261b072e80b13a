import { setTimeout as sleep } from 'node:timers/promises'
import { percentile, rounded } from '../figures.ts'
import { flushTime } from '../fsync.ts'
import { ask } from '../panel.ts'
import { startReceiver } from '../receiver.ts'
import type { Row } from '../row.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const perSecond = 100
const seconds = 8

/** From the time an event bears, which is before its commit, until its request is there, at 100 events a second. */
export async function measure({ middle }: World): Promise<Row[]> {
  const [store, receiver] = [copyOf(middle), await startReceiver()]
  const times: number[] = []
  await withPanel(store, async () => {
    const { webhook } = await ask(store.directory, 'POST', '/webhooks', { url: receiver.url })
    await ask(store.directory, 'POST', `/webhooks/${webhook.id}/test`)
    await sleep(500)
    receiver.report((body) => times.push(Date.now() - JSON.parse(body).created_at))
    await ping(store.directory, webhook.id)
  })
  receiver.close()
  if (times.length < perSecond * seconds) throw new Error(`${times.length} of ${perSecond * seconds} events came`)
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)].map(rounded) as [number, number]
  const ratios = { 'one fsync': rounded(p50 / flushTime()) }
  return [{ what: 'event to request, 100 events a second', value: p50, unit: 'ms', p50, p99, ratios }]
}

async function ping(directory: string, webhook: string): Promise<void> {
  const began = performance.now()
  const answers: Promise<unknown>[] = []
  for (let sent = 0; sent < perSecond * seconds; sent++) {
    answers.push(ask(directory, 'POST', `/webhooks/${webhook}/test`))
    await sleep(began + ((sent + 1) * 1000) / perSecond - performance.now())
  }
  await Promise.all(answers)
  await sleep(500)
}
