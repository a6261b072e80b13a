import { existsSync } from 'node:fs'
import type { ZoneState } from '../../parts/dns/index.ts'
import type { Run } from '../commands.ts'
import { type Probe, tried } from './probe.ts'

const rndc = '/usr/sbin/rndc'

/** Each zone, queried from the server itself: its serial must be the store's. */
export const dns: Probe = async ({ account, run }) => {
  if (!existsSync(rndc)) return []
  return Promise.all(account.parts.dns.zones.map((zone) => tried(`dns ${zone.name}`, () => served(run, zone))))
}

async function served(run: Run, { name, serial }: ZoneState): Promise<string> {
  const output = await run(rndc, ['zonestatus', name])
  const found = /^serial: (\d+)$/m.exec(output)?.[1]
  if (found !== String(serial)) throw new Error(`BIND has serial ${found ?? 'none'}, the store ${serial}.`)
  const answered = await run('/usr/bin/dig', ['+short', '+norecurse', '+time=3', '+tries=1', '@127.0.0.1', name, 'SOA'])
  if (!/^\S+ \S+ \d+ /m.test(answered)) throw new Error('BIND does not answer for the zone.')
  return `serial ${serial}`
}
