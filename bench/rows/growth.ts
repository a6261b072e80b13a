import { inTurn, ratioOf } from '../compare.ts'
import { median, rounded } from '../figures.ts'
import { type Load, load } from '../load/load.ts'
import type { Row } from '../row.ts'
import type { Seeded } from '../seed.ts'
import type { Server } from '../server.ts'
import { type World, withPanel } from '../world.ts'

const reads: Readonly<Record<string, (seeded: Seeded) => string>> = {
  'account by id': ({ account }) => `/accounts/${account.id}`,
  'list of 50': () => '/accounts?per_page=50',
  'suspended accounts, and their count': () => '/accounts?status=suspended&per_page=50',
  'objects by the beginning of their names': ({ account }) => `/lookup?prefix=${account.username.slice(0, 5)}`,
  'list of 50 domains of all accounts': () => '/domains?per_page=50',
  'what needs attention': () => '/notices',
  'search of a name': ({ account }) => `/accounts?q=${account.username}&per_page=1`,
}

/** The same reads on a store of 1,000, of 10,000 and of 100,000 accounts: flat is 1. */
export const measure = ({ small, middle, big }: World) =>
  withPanel(small, (first) =>
    withPanel(middle, (second) =>
      withPanel(big, async (third) => {
        const servers: [Seeded, Server][] = [
          [small, first],
          [middle, second],
          [big, third],
        ]
        const rows: Row[] = []
        for (const [what, path] of Object.entries(reads)) rows.push(...(await grown(what, path, servers)))
        return rows
      }),
    ),
  )

async function grown(what: string, path: (seeded: Seeded) => string, servers: [Seeded, Server][]): Promise<Row[]> {
  const takes = servers.map(([seeded, { url }]) => [
    String(seeded.accounts),
    () => load({ url: url + path(seeded), token: seeded.token, seconds: 1 }),
  ])
  const taken = await inTurn<Load>(Object.fromEntries(takes))
  const [least, ...more] = servers.map(([{ accounts }]) => accounts)
  return more.map((accounts) => {
    const [loads, few] = [taken[accounts]!, taken[least!]!]
    const p99 = (all: readonly Load[]) => all.map((one) => one.p99)
    return {
      what: `${what}, ${accounts.toLocaleString('en')} accounts`,
      value: rounded(median(loads.map(({ perSecond }) => perSecond))),
      unit: 'requests/s',
      p99: rounded(median(p99(loads))),
      ratios: {
        'requests/s at 1,000': ratioOf(
          loads.map(({ perSecond }) => perSecond),
          few.map(({ perSecond }) => perSecond),
        ),
        'p99 at 1,000': ratioOf(p99(loads), p99(few)),
      },
    }
  })
}
