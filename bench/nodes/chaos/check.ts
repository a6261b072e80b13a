import type { Json, World } from '../world.ts'
import { eventProblems } from './check/events.ts'
import { hostProblems } from './check/hosts.ts'
import { jobProblems } from './check/jobs.ts'
import { lostChanges } from './check/lost.ts'
import { stateOf } from './check/state.ts'
import { zoneProblems } from './check/zones.ts'
import type { Follower } from './feed.ts'
import type { Known } from './known.ts'

export interface Seen {
  readonly accounts: readonly Known[]
  readonly follower: Follower
}

/** What is wrong when all is whole again: each line names one fault. */
export async function problemsOf(world: World, { accounts, follower }: Seen): Promise<string[]> {
  const state = await stateOf(world)
  return [
    ...(await differences(world)),
    ...(await lostChanges(world, state, accounts)),
    ...(await jobProblems(world, state, accounts)),
    ...eventProblems(state, accounts, follower.seen),
    ...hostProblems(world, state),
    ...zoneProblems(world, state),
  ]
}

/** What the product says itself of its hosts. */
async function differences(world: World): Promise<string[]> {
  const { status, body } = await world.ask('GET', '/host/diff')
  if (status !== 200) return [`the hosts cannot be compared: ${JSON.stringify(body)}`]
  return body.differences.map((one: Json) =>
    one.change === 'fault'
      ? `${one.node}: ${one.note} It said last: ${lastLine(world.logOf(one.node))}`
      : `${one.username}: ${one.path} differs`,
  )
}

const lastLine = (log: string): string => log.trim().split('\n').at(-1)!
