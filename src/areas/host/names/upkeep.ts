import { X509Certificate } from 'node:crypto'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { every } from '../../../runtime/clock/interval.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { localNode } from '../../../shared/node-name.ts'
import { hour, minute } from '../../../shared/time.ts'
import { laneOf } from '../../nodes/lane.ts'
import { directoryOf } from '../../ssl/settings.ts'
import { attemptsOf } from './attempts.ts'
import { allOwn, type Own, ownOfServer } from './own.ts'
import { isInProgress, queue } from './queue.ts'
import { reapply } from './reapply.ts'
import { resolveNames } from './resolve.ts'
import { renewNodeCertificates } from './upkeep-nodes.ts'

/** The names to get a certificate for now; none if the current one suffices, or none can be had. */
async function namesDue(own: Own): Promise<readonly string[]> {
  const { runtime, certificate, node } = own
  const { db } = runtime.store
  if (directoryOf(db) === undefined) return []
  const { kind, cert } = await certificate.current()
  const leaf = new X509Certificate(cert)
  const isOld = kind === 'self_signed' || isInLastThird(leaf, runtime.clock.now())
  const covered = (name: string) => leaf.checkHost(name) !== undefined
  if (!isOld && Object.values(own.names()).every(covered)) return []
  const local = (await resolveNames(own)).filter((one) => one.isLocal).map(({ name }) => name)
  if ((!isOld && local.every(covered)) || isTooSoon(attemptsOf(db, node), local, runtime.clock.now())) return []
  return local
}

function isInLastThird({ validFrom, validTo }: X509Certificate, now: number): boolean {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
  return to - now <= (to - from) / 3
}

/** After a failure, the same names wait; other names are tried immediately. */
const isTooSoon = (failed: ReturnType<typeof attemptsOf>, names: readonly string[], now: number): boolean =>
  failed !== undefined && failed.names === names.join() && now < failed.next_attempt_at

export const lane = laneOf(localNode)

/** Keeps the names of each machine up to date on its host, with a certificate for those that resolve there. */
export async function renewNames(runtime: Runtime): Promise<Engine> {
  await reportServer(runtime)
  const stops = [
    every(runtime, minute, "no certificate could be ordered for a machine's own names", () => orderAll(runtime)),
    renewNodeCertificates(runtime),
    every(runtime, hour, "the host could not be told of the server's own names", () => reportServer(runtime)),
  ]
  return { stop: async () => void (await Promise.all(stops.map((stop) => stop()))) }
}

async function orderAll(runtime: Runtime): Promise<void> {
  for (const own of allOwn(runtime)) await order(own)
}

async function order(own: Own): Promise<void> {
  const names = isInProgress(own) ? [] : await namesDue(own)
  if (names.length > 0) await queue(own, { kind: 'server.certificate', payload: { names: names.join() } })
}

/** At startup, and when what is served has changed by itself. */
async function reportServer(runtime: Runtime): Promise<void> {
  const own = ownOfServer(runtime)
  if (own.client.kind !== 'debian') return
  await runtime.store.change(() => {
    for (const { onServerState: serverReported } of runtime.areas) serverReported?.(runtime)
  })
  await reapply(own)
}
