import { setTimeout as sleep } from 'node:timers/promises'
import { percentile, rounded } from '../figures.ts'
import { flushTime } from '../fsync.ts'
import { ask } from '../panel.ts'
import type { Row } from '../row.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const records = 9_000
const atOnce = 1_800
const times = 20
const name = 'dns0000001'

/** A zone of some thousand records: a page of it, and one of them changed, until the host has it. */
export const measure = ({ small }: World): Promise<Row[]> => {
  const { directory } = copyOf(small)
  return withPanel({ ...small, directory }, async () => {
    const zone = await bigZone(directory)
    const pages = await timed(() => ask(directory, 'GET', `${zone}/records?per_page=500`))
    const searches = await timed(() => ask(directory, 'GET', `${zone}/records?per_page=200&q=192.0.2.77`))
    const { items } = await ask(directory, 'GET', `${zone}/records?per_page=${times}&q=h7`)
    let next = 0
    const edits = await timed(async () => {
      const ttl = 600 + next
      const { serial } = await ask(directory, 'PATCH', `${zone}/records/${items[next++].id}`, { ttl })
      while (((await ask(directory, 'GET', zone)).applied_serial ?? 0) < serial) await sleep(2)
    })
    return [
      row('a page of 500 of 9,000 DNS records', pages),
      row('9,000 DNS records searched by value', searches),
      row('one of 9,000 DNS records changed, until the host has it', edits),
    ]
  })
}

async function bigZone(directory: string): Promise<string> {
  const { account } = await ask(directory, 'POST', '/accounts', { username: name, domain: `${name}.example` })
  const [{ id }] = (await ask(directory, 'GET', `/accounts/${account.id}/dns/zones`)).items
  const zone = `/accounts/${account.id}/dns/zones/${id}`
  for (let first = 0; first < records; first += atOnce) {
    const zone_file = Array.from({ length: atOnce }, (_, at) => `h${first + at} A 192.0.2.1`).join('\n')
    await ask(directory, 'POST', `${zone}/import`, { zone_file, mode: 'merge' })
  }
  for (const status of ['queued', 'leased', 'running'])
    while ((await ask(directory, 'GET', `/jobs?status=${status}&per_page=1`)).total > 0) await sleep(20)
  return zone
}

async function timed(act: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let count = 0; count < times; count++) {
    const began = performance.now()
    await act()
    taken.push(performance.now() - began)
  }
  return taken
}

function row(what: string, taken: number[]): Row {
  const [p50, p99] = [percentile(taken, 0.5), percentile(taken, 0.99)].map(rounded) as [number, number]
  return { what, value: p50, unit: 'ms', p50, p99, ratios: { 'one fsync': rounded(p50 / flushTime()) } }
}
