import { FIRST_WAF_RULE, LAST_WAF_RULE } from '../../shared/waf.ts'
import { MAX_HIT_MESSAGE, MAX_HIT_PATH, type WafHit } from '../contract/commands/waf.ts'

/** Of one request: a row for each rule. */
const MAX_RULES = 10

export interface NewHit extends Omit<WafHit, 'n'> {
  readonly site: string
}

/**
 * A line of ModSecurity's log. Visitors write most of it, nginx the id: its first part is the site. What was sent is left
 * out: the query, and what a rule has matched.
 */
export function hitsIn(line: string): NewHit[] {
  const transaction = parsed(line)
  const site = /^([0-9A-HJKMNP-TV-Z]{26}):/.exec(textOf(transaction['unique_id']))?.[1]
  const at = Date.parse(textOf(transaction['time_stamp']))
  if (site === undefined || !(at > 0)) return []
  const { request, response, producer } = transaction
  const isBlocked = fieldOf(producer, 'secrules_engine') === 'Enabled' && fieldOf(response, 'http_code') === 403
  const of = {
    ...{ site, at, address: plain(transaction['client_ip'], 64) },
    path: plain(textOf(fieldOf(request, 'uri')).split('?')[0], MAX_HIT_PATH),
    action: isBlocked ? ('blocked' as const) : ('watched' as const),
  }
  return [...rulesIn(transaction['messages'])].map(([rule, message]) => ({ ...of, rule, message }))
}

type Fields = Readonly<Record<string, unknown>>

function parsed(line: string): Fields {
  try {
    const { transaction } = JSON.parse(line) as { transaction?: unknown }
    return typeof transaction === 'object' && transaction !== null ? (transaction as Fields) : {}
  } catch {
    return {}
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Printable ASCII: what else a visitor sends is shown as question marks. */
const plain = (value: unknown, max: number): string =>
  textOf(value)
    .slice(0, max)
    .replace(/[^\x20-\x7e]/g, '?')

/** By rule, what it looks for; without those that count what others found. */
function rulesIn(messages: unknown): ReadonlyMap<number, string> {
  const rules = new Map<number, string>()
  for (const one of Array.isArray(messages) ? messages : []) {
    const rule = Number(fieldOf(fieldOf(one, 'details'), 'ruleId'))
    if (Number.isInteger(rule) && rule >= FIRST_WAF_RULE && rule <= LAST_WAF_RULE && rules.size < MAX_RULES)
      rules.set(rule, plain(fieldOf(one, 'message'), MAX_HIT_MESSAGE))
  }
  return rules
}
