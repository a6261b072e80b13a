import { parseArgs } from 'node:util'
import { noCables } from '../cables.ts'
import { noDisks } from '../disk.ts'
import { machineLoad } from '../figures.ts'
import { processorTime } from '../processor.ts'
import { Random } from '../random.ts'
import { until, World } from '../world.ts'
import { problemsOf } from './check.ts'
import { Follower } from './feed.ts'
import { Load } from './load.ts'
import { formerProblems, succeed } from './succession.ts'
import { Trouble } from './trouble.ts'

// Kills, stops and cuts at random while accounts are created and changed, then compares every host with the store.

const diskSize = '48m'
const maxVisible = 40

function options() {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const seed = text(String(Date.now() % 1_000_000))
  const sized = { agents: text('5'), seconds: text('60'), accounts: text('40'), rate: text('20') }
  // Seconds until no job is open.
  const expected = { ...sized, seed, settled: text('10') }
  const { values } = parseArgs({ options: { ...expected, calm: { type: 'boolean', default: false } } })
  const { calm: calmly, ...numbers } = values
  const sizes = Object.entries(numbers).map(([name, value]) => [name, Number(value)])
  return { calmly, ...(Object.fromEntries(sizes) as Record<keyof typeof expected, number>) }
}

/** Calmly nothing is broken: what the load alone costs. */
const { agents, seconds, accounts, rate, seed, settled: calm, calmly } = options()

async function openJobs(world: World): Promise<number> {
  const counts = ['queued', 'leased', 'running'].map(
    async (status) => (await world.sure('GET', `/jobs?status=${status}&per_page=1`)).total as number,
  )
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** Seconds until no job is open. */
async function settled(world: World): Promise<number | undefined> {
  try {
    return (await until(async () => (await openJobs(world)) === 0, 120_000)) / 1000
  } catch {
    return undefined
  }
}

async function chaos(world: World): Promise<boolean> {
  const hands = new Load(world, new Random(seed + 1), { accounts, rate })
  const [trouble, follower] = [new Trouble(world, new Random(seed)), new Follower(world)]
  const used = processorTime(world)
  if (!calmly) trouble.begin()
  const running = hands.run()
  const succession = calmly ? undefined : succeed(world, seconds * 500)
  await Promise.all([succession, new Promise((resolve) => setTimeout(resolve, seconds * 1000))])
  hands.end()
  if (!calmly) await trouble.end()
  await running
  const spent = (processorTime(world) - used) / Math.max(1, hands.acknowledged)
  const took = await settled(world)
  await follower.end()
  const wrong = [...unlike(hands), ...(await formerProblems(world))]
  const problems = [...wrong, ...(await problemsOf(world, { accounts: hands.accounts, follower }))]
  for (const error of problems.slice(0, maxVisible)) console.log(`fault: ${error}`)
  console.log(`broken: ${JSON.stringify(trouble.done)}`)
  console.log(`answers: ${JSON.stringify(hands.answers)}; ${follower.seen.length} events followed`)
  console.log(took === undefined ? 'jobs are open after two minutes' : `no job open ${took} s after the end`)
  console.log(`processor time: ${spent.toFixed(1)} ms a change`)
  console.log(`${sumOf(hands)}: ${problems.length} faults; machine load ${machineLoad()}`)
  return problems.length === 0 && took !== undefined && took <= calm
}

const sumOf = ({ acknowledged, accounts }: Load): string =>
  `${acknowledged} changes (${(acknowledged / seconds).toFixed(0)}/s), ${accounts.length} accounts`

/** What must not be answered, whatever breaks. */
const unlike = ({ answers }: Load): string[] => (answers[500] ? [`${answers[500]} requests were answered 500`] : [])

/** Lines of its log that speak of what must not happen. */
const errorsIn = (world: World): string[] =>
  world
    .logOf('panel')
    .split('\n')
    .filter((line) => line.startsWith('{'))

const [noDisk, noCable] = [noDisks(), noCables()]
console.log(
  `seed ${seed}: ${agents} agents, ${seconds} s, ${accounts} accounts, ${rate} changes/s asked for; load ${machineLoad()}`,
)
if (noDisk) console.log(`SKIPPED: full disks, ${noDisk}`)
if (noCable) console.log(`SKIPPED: cables that are pulled, ${noCable}`)
const world = new World({ ...(!noDisk && { diskSize }), hasCables: !noCable, hasStandby: true })
try {
  await world.open(agents)
  process.exitCode = (await chaos(world)) ? 0 : 1
} finally {
  for (const line of errorsIn(world).slice(0, maxVisible)) console.log(`panel: ${line.slice(0, 600)}`)
  await world.close()
}
