import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Json, World } from '../../world.ts'

export interface StoredZone {
  readonly name: string
  readonly serial: number
}

/** What the panel says of itself, by its own interface where that tells it. */
export interface State {
  readonly accounts: ReadonlyMap<string, Json>
  readonly jobs: ReadonlyMap<string, Json>
  readonly events: readonly Json[]
  readonly zones: readonly StoredZone[]
  /** Nodes that answer for the zones of all. */
  readonly nameServers: readonly string[]
  /** Names of domains. */
  readonly domains: ReadonlySet<string>
}

const byId = (items: readonly Json[]): Map<string, Json> => new Map(items.map((item) => [item.id, item]))

export async function stateOf(world: World): Promise<State> {
  const domains = await world.all('/domains')
  return {
    accounts: byId(await world.all('/accounts')),
    jobs: byId(await world.all('/jobs')),
    events: await allEvents(world),
    zones: zonesIn(world),
    nameServers: (await world.all('/nodes')).filter(({ roles }) => roles.includes('dns')).map(({ name }) => name),
    domains: new Set(domains.map(({ name }) => name)),
  }
}

async function allEvents(world: World): Promise<Json[]> {
  const found: Json[] = []
  for (;;) {
    const { items } = await world.sure('GET', `/events?after=${found.at(-1)?.seq ?? 0}&limit=500`)
    if (items.length === 0) return found
    found.push(...items)
  }
}

function zonesIn(world: World): StoredZone[] {
  const sqlite = new Database(join(world.data, 'panel.db'), { readonly: true })
  try {
    return sqlite.prepare('SELECT name, serial FROM dns_zones').all() as StoredZone[]
  } finally {
    sqlite.close()
  }
}
