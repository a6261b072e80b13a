import type { Limit } from '../contract/accounts.ts'
import { Failure } from './failure.ts'
import type { Parameters } from './parameters.ts'

/** WHM's names of the panel's limits. */
const names = {
  quota: 'disk_quota_mb',
  bwlimit: 'bw_limit_mb',
  maxpop: 'max_email',
  maxsql: 'max_sql',
  maxftp: 'max_ftp',
  maxsub: 'max_sub',
  maxpark: 'max_parked',
  maxaddon: 'max_addon',
} as const satisfies Record<string, Limit>

export type WhmLimits = Partial<Record<(typeof names)[keyof typeof names], number | null>>

/** The limits in a request; null is unlimited. Invalid ones fail before anything is created. */
export function limitsIn(parameters: Parameters): WhmLimits {
  const limits: WhmLimits = {}
  for (const [name, limit] of Object.entries(names)) {
    const text = parameters.text(name)
    if (text !== undefined) limits[limit] = limitOf(name, text)
  }
  return limits
}

const unlimited = ['', 'unlimited', 'null']

function limitOf(name: string, text: string): number | null {
  if (unlimited.includes(text.toLowerCase())) return null
  if (!/^\d{1,10}(\.\d+)?$/.test(text)) throw new Failure(`“${text}” is not a number for “${name}”.`)
  // A fraction rounds up: 0 would be unlimited.
  const amount = Math.ceil(Number(text))
  return amount === 0 && (name === 'quota' || name === 'bwlimit') ? null : amount
}

/** WHM's notation of a limit. */
export const written = (limit: number | undefined): string => (limit === undefined ? 'unlimited' : String(limit))
