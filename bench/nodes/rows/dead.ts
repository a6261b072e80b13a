import { ratioOf } from '../../compare.ts'
import { median } from '../../figures.ts'
import { account, makeAccounts } from '../accounts.ts'
import { say } from '../figures.ts'
import type { Sizes } from '../sizes.ts'
import { until, World } from '../world.ts'

const rounds = 5
const creates = 98
const atOnce = 14
const waiting = 20

/** What one dead node costs the others, and what becomes of its own jobs. */
export async function measure({ agents }: Sizes): Promise<void> {
  const world = new World()
  try {
    await world.open(agents)
    await compare(world)
    await together(world)
  } finally {
    await world.close()
  }
}

let made = 0
const others = (world: World): string[] => world.agents.slice(1).map(({ name }) => name)
const bodies = (nodes: readonly string[], count: number): object[] =>
  Array.from({ length: count }, (_, n) => account(`d${made++}`, nodes[n % nodes.length]))

async function compare(world: World): Promise<void> {
  const [victim] = world.agents
  const taken: Record<'alive' | 'dead', number[]> = { alive: [], dead: [] }
  await makeAccounts(world, bodies([victim!.name], waiting), atOnce)
  await makeAccounts(world, bodies(others(world), creates), atOnce)
  for (let round = 0; round < rounds; round++) {
    taken.alive.push(await makeAccounts(world, bodies(others(world), creates), atOnce))
    await victim!.end()
    await until(async () => (await world.active()) === world.agents.length)
    await change(world, victim!.name)
    taken.dead.push(await makeAccounts(world, bodies(others(world), creates), atOnce))
    await validateWaiting(world, victim!.name, round)
    victim!.start()
    await until(async () => (await world.active()) === world.agents.length + 1)
  }
  say(`${creates} creates on the other nodes, one dead`, median(taken.dead), 'ms')
  say('the same, beside when all are alive', ratioOf(taken.dead, taken.alive), 'times', { max: 1.2 })
}

/** Accepted, and for later: a node that is down gets no new accounts, and keeps those it has. */
async function change(world: World, node: string): Promise<void> {
  const accounts = await world.all(`/accounts?node=${node}`)
  for (const { id, cgi } of accounts) await world.sure('PATCH', `/accounts/${id}`, { cgi: !cgi })
}

/** Nothing tries them, and each says why. */
async function validateWaiting(world: World, node: string, round: number): Promise<void> {
  if (round > 0) return
  const jobs = await world.all(`/jobs?node=${node}&status=queued`)
  const patient = jobs.filter(({ attempts, waiting_for }) => attempts === 0 && waiting_for?.startsWith(`Node ${node}`))
  say('its jobs that wait untried, and say for what', patient.length, 'jobs', { least: waiting })
}

/** One create a node, on all at once, beside a single one. */
async function together(world: World): Promise<void> {
  const nodes = world.agents.map(({ name }) => name)
  const alone: number[] = []
  const all: number[] = []
  for (let round = 0; round < rounds; round++) {
    alone.push(await makeAccounts(world, bodies([nodes[round]!], 1), 1))
    all.push(await makeAccounts(world, bodies(nodes, nodes.length), nodes.length))
  }
  say('one create', median(alone), 'ms')
  say(`${nodes.length} creates on ${nodes.length} nodes at once`, median(all), 'ms')
  say('each of them, by the processor time there is', median(all) / nodes.length / median(alone), 'times', { max: 2 })
}
