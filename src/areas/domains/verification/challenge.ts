import { createHmac } from 'node:crypto'
import { getDomain } from 'tldts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import type { Db } from '../../../store/open.ts'

export const challengeLabel = '_panel-challenge'
const digits = 32

/** The name that was registered, below a public suffix. */
export const registeredName = (name: string): string => getDomain(name, { allowPrivateDomains: true }) ?? name

/**
 * Another account's records must not verify a name, nor those for another registered domain. The value is published,
 * so that its key need not be secret: it stays the same when keys are rotated.
 */
export function challengeValue(db: Db, account: string, name: string): string {
  const mac = createHmac('sha256', getSetting(db, 'server_id')!).update(`${account}\n${registeredName(name)}`)
  return `panel-verify=${mac.digest('hex').slice(0, digits)}`
}

/** Bounds the questions about a name of many labels. */
const MAX_LEVELS = 10

/** Where a challenge may be: at the name, or at one of its parents up to the registered one. */
export function challengeNames(name: string): string[] {
  const [labels, top] = [name.split('.'), registeredName(name).split('.').length]
  const all = labels.slice(0, Math.max(1, labels.length - top + 1)).map((_, index) => labels.slice(index).join('.'))
  return [...new Set([...all.slice(0, 1), ...all.slice(-MAX_LEVELS)])].map((one) => `${challengeLabel}.${one}`)
}

export const challengeRecord = (db: Db, account: string, name: string) => ({
  name: `${challengeLabel}.${name}`,
  type: 'TXT' as const,
  value: challengeValue(db, account, name),
})
