import { lchownSync } from 'node:fs'
import type { ProbeResult } from '../../contract/commands/state.ts'
import type { Doing } from '../../contract/driver.ts'
import { groupId } from '../names.ts'
import { dns } from './dns.ts'
import { ftp } from './ftp.ts'
import { http } from './http.ts'
import { mail } from './mail.ts'
import type { Probe, Probed } from './probe.ts'
import { sql } from './sql.ts'

const forDovecot = (path: string): void => lchownSync(path, 0, groupId('dovecot') ?? 0)

/** All probes, one file each. */
const probes: readonly Probe[] = [http(), dns, mail(forDovecot), sql, ftp()]

/** Queries every service for what it should answer about an account. */
export async function verify(probed: Probed, { signal }: Doing = {}): Promise<ProbeResult[]> {
  const results: ProbeResult[] = []
  for (const probe of probes) {
    signal?.throwIfAborted()
    results.push(...(await probe(probed)))
  }
  return results
}
