import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountUsage } from '../contract/driver.ts'
import { sliceOf } from './sandbox.ts'

const megabyte = 1024 * 1024

/** The locations in cgroup v2 and v1. */
const places = {
  cpu: ['cpu.stat', 'unified/cpu.stat'],
  memory: ['memory.current', 'memory/memory.usage_in_bytes'],
  details: ['memory.stat', 'memory/memory.stat'],
} as const

/** What the control group of an account's PHP, commands and apps has used; empty if none of them runs. */
export function consumptionOf(username: string, root = '/sys/fs/cgroup'): Pick<AccountUsage, 'cpuMs' | 'memoryMb'> {
  const slice = `panel.slice/${sliceOf(username)}`
  const report = (kind: keyof typeof places) =>
    places[kind].map((place) => textOf(join(root, place.replace(/[^/]+$/, `${slice}/$&`)))).find(Boolean) ?? ''
  const micros = numberOf(report('cpu'), 'usage_usec')
  const bytes = /^\d+$/m.exec(report('memory'))?.[0]
  // The kernel reclaims inactive page cache on demand.
  const [idle = 0] = ['total_inactive_file', 'inactive_file'].flatMap((name) => numberOf(report('details'), name) ?? [])
  return {
    ...(micros !== undefined && { cpuMs: Math.round(micros / 1000) }),
    ...(bytes !== undefined && { memoryMb: Math.ceil(Math.max(0, Number(bytes) - idle) / megabyte) }),
  }
}

function numberOf(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** A group may disappear at any time. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
