import { zoneOf } from '../dns/fixtures.ts'
import { startPanel } from '../harness.ts'
import { password, Visitor } from './visitor.ts'

export type Zone = Awaited<ReturnType<typeof zoneOf>>

/** A customer viewing the zone of its domain. */
export async function withZone() {
  const panel = await startPanel()
  const alice = await panel.account('alice', { password })
  const zone = await zoneOf(panel, alice.id, 'alice.example')
  const visitor = await new Visitor(panel).signIn('alice')
  await panel.settle()
  return { panel, zone, visitor }
}
