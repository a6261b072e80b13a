import type { Doing } from '../../driver.ts'
import type { ProbeResult } from '../../inspection.ts'
import { dns } from './dns.ts'
import { http } from './http.ts'
import type { Probe, Probed } from './probe.ts'

/** All probes, one file each. */
const probes: readonly Probe[] = [http, dns]

/** Asks every service for what it should answer of an account. */
export async function verify(probed: Probed, { signal }: Doing = {}): Promise<ProbeResult[]> {
  const results: ProbeResult[] = []
  for (const probe of probes) {
    signal?.throwIfAborted()
    results.push(...(await probe(probed)))
  }
  return results
}
