import { percentile } from '../../figures.ts'
import { account, createAccounts } from '../accounts.ts'
import { say } from '../figures.ts'
import type { Sizes } from '../sizes.ts'
import { World } from '../world.ts'

const atOnce = 64
const timeoutMs = 60_000

/** More accounts than user ids of one machine. */
export async function measure({ accounts }: Sizes): Promise<void> {
  const world = new World()
  try {
    await world.open(1)
    const bodies = Array.from({ length: accounts }, (_, n) => account(`m${n}`))
    const began = performance.now()
    const made = await createAccounts(world, bodies, atOnce)
    const seconds = (performance.now() - began) / 1000
    say('accounts accepted on two nodes', made.length, 'accounts', { least: accounts })
    say('accepted', made.length / seconds, '/s')
    await check(world)
    await later(world)
  } finally {
    await world.close()
  }
}

async function check(world: World): Promise<void> {
  const accounts = await world.all('/accounts')
  const count = (expected: string): number => accounts.filter(({ node = 'local' }) => node === expected).length
  const counts = [...world.roots.keys()].map(count)
  say('difference between the two nodes', Math.max(...counts) - Math.min(...counts), 'accounts', { max: 1 })
  const highest = Math.max(...accounts.map(({ uid }) => uid))
  say('highest user id', highest, '', { max: 59_999 })
}

/** Their files are made in the order of creation, for as long as it takes: here for a minute. */
async function later(world: World): Promise<void> {
  const count = async (status: string): Promise<number> =>
    (await world.sure('GET', `/jobs?status=${status}&per_page=1`)).total
  const times: number[] = []
  const end = performance.now() + timeoutMs
  while (performance.now() < end) {
    const began = performance.now()
    await world.sure('GET', '/accounts?per_page=50')
    times.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  say('jobs that have succeeded a minute later', await count('succeeded'), 'jobs')
  say('jobs that have failed', await count('failed'), 'jobs', { max: 0 })
  say('a list of 50 beside them, p99', percentile(times, 0.99), 'ms')
}
