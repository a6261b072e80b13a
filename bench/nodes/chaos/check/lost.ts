import type { Json, World } from '../../world.ts'
import type { Known } from '../known.ts'
import type { State } from './state.ts'

/** What was acknowledged and is not so. */
export async function lostChanges(world: World, state: State, known: readonly Known[]): Promise<string[]> {
  const lost: string[] = []
  for (const one of known) {
    const account = state.accounts.get(one.id!)
    if (!account) lost.push(`${one.username}: acknowledged, and not in the store`)
    else lost.push(...(await factsLost(world, state, one, account)))
  }
  return lost
}

async function factsLost(world: World, { domains }: State, known: Known, account: Json): Promise<string[]> {
  const records = await recordsOf(world, known)
  const isValid = (fact: string): string | boolean | undefined => {
    const [kind, name] = fact.split(' ') as [string, string?]
    if (kind === 'domain') return domains.has(name!) || undefined
    if (kind === 'record') return records.has(name!) || undefined
    return kind === 'suspended' ? account.status === 'suspended' : account[kind]
  }
  return known.facts
    .filter((fact) => !known.allows(fact, isValid(fact)))
    .map((fact) => `${known.username}: ${fact} is ${isValid(fact)}, acknowledged was ${known.value(fact)}`)
}

async function recordsOf(world: World, known: Known): Promise<Set<string>> {
  if (!known.facts.some((fact) => fact.startsWith('record'))) return new Set()
  const records = await world.all(`/accounts/${known.id}/dns/zones/${known.zone}/records`)
  return new Set(records.map(({ name }) => String(name).split('.')[0]!))
}
