import { join } from 'node:path'
import { say } from '../figures.ts'
import { knownPeer, missingTools, Named, rendered, transferRules } from '../named.ts'
import { freePort } from '../seat.ts'
import { type Json, until, World } from '../world.ts'

const rounds = 10

/** How soon a name server elsewhere, a BIND that takes zones by the catalog, answers for what was changed here. */
export async function measure(): Promise<void> {
  const missing = missingTools()
  if (missing.length > 0) return console.log(`SKIPPED: secondary DNS, there is no ${missing.join(', no ')}`)
  const world = new World()
  const servers: Named[] = []
  try {
    await world.open(0)
    const { primary, secondary } = await twoServers(world, servers)
    await compare(world, primary, secondary)
  } finally {
    for (const server of servers) server.end()
    await world.close()
  }
}

async function twoServers(world: World, servers: Named[]) {
  const root = world.roots.get('local')!
  const peer = await world.sure('POST', '/nodes/dns-peers', { name: 'ns2', address: ['127.0.0.1'] })
  await done(world, peer.job_id)
  await done(world, (await newAccount(world, 'first')).job_id)
  const [one, other] = [await freePort(), await freePort()]
  const primary = new Named(
    join(world.dir, 'primary'),
    one,
    (options) => `options { ${options} ${transferRules(root, other)} };\ncontrols { };\n${rendered(root)}`,
  )
  const { outside, inside } = knownPeer(peer.configuration, one)
  const secondary = new Named(
    join(world.dir, 'secondary'),
    other,
    (options) => `options { ${options} ${inside} };\ncontrols { };\n${outside}`,
  )
  servers.push(primary, secondary)
  for (const server of servers) server.start()
  await until(async () => (await secondary.dig('first.example', 'SOA')) !== '')
  primary.follow(root)
  return { primary, secondary }
}

async function compare(world: World, primary: Named, secondary: Named): Promise<void> {
  const [made, changed]: [number[], number[]] = [[], []]
  for (let n = 0; n < rounds; n++) {
    const { account } = await timed(made, secondary, `z${n}.example`, 'SOA', () => newAccount(world, `z${n}`))
    await timed(changed, secondary, `t.z${n}.example`, 'TXT', () => newRecord(world, account))
  }
  say(`a new zone answers on the secondary, worst of ${rounds}`, Math.max(...made) / 1000, 's', { max: 5 })
  say(`a changed zone answers there, worst of ${rounds}`, Math.max(...changed) / 1000, 's', { max: 2 })
  primary.end()
  const answers = await secondary.dig(`t.z${rounds - 1}.example`, 'TXT')
  say('answers without the primary', answers === '"second"' ? 1 : 0, '', { least: 1 })
}

/** From the request until the secondary answers. */
async function timed<T>(into: number[], server: Named, name: string, type: string, act: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await act()
  while ((await server.dig(name, type)) === '') {
    if (performance.now() - began > 60_000) throw new Error(`${name} never came.`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  into.push(performance.now() - began)
  return result
}

const newAccount = (world: World, username: string): Promise<Json> =>
  world.sure('POST', '/accounts', { username, domain: `${username}.example` })

async function newRecord(world: World, { id }: Json): Promise<Json> {
  const [zone] = (await world.sure('GET', `/accounts/${id}/dns/zones`)).items
  const body = { name: 't', type: 'TXT', value: 'second' }
  return world.sure('POST', `/accounts/${id}/dns/zones/${zone.id}/records`, body)
}

const done = (world: World, id: string): Promise<number> =>
  until(async () => (await world.sure('GET', `/jobs/${id}`)).job.status === 'succeeded')
