import { X509Certificate } from 'node:crypto'
import { directoryOf } from '../../ssl/settings.ts'
import { attemptsOf } from './attempts.ts'
import type { Own } from './own.ts'
import { resolveNames } from './resolve.ts'

/** The names to get a certificate for now; none if the current one suffices, or none can be had. */
export async function namesDue(own: Own): Promise<readonly string[]> {
  const { runtime, certificate, node } = own
  const { db } = runtime.store
  if (directoryOf(db) === undefined) return []
  const { kind, cert } = await certificate.current()
  const leaf = new X509Certificate(cert)
  const isOld = kind === 'self_signed' || isInLastThird(leaf, runtime.clock.now())
  const covered = (name: string) => leaf.checkHost(name) !== undefined
  if (!isOld && Object.values(own.names()).every(covered)) return []
  const here = (await resolveNames(own)).filter((one) => one.here).map(({ name }) => name)
  if ((!isOld && here.every(covered)) || isTooSoon(attemptsOf(db, node), here, runtime.clock.now())) return []
  return here
}

function isInLastThird({ validFrom, validTo }: X509Certificate, now: number): boolean {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
  return to - now <= (to - from) / 3
}

/** After a failure, the same names wait; other names are tried immediately. */
const isTooSoon = (failed: ReturnType<typeof attemptsOf>, names: readonly string[], now: number): boolean =>
  failed !== undefined && failed.names === names.join() && now < failed.next_attempt_at
