import type { Random } from '../random.ts'
import type { Known } from './known.ts'

/** A change of one fact of an account. */
export interface Change {
  readonly fact: string
  readonly value: string | boolean
  readonly method: 'POST' | 'PATCH'
  /** Below the account. */
  readonly path: string
  readonly body: object
}

const maxDomains = 3
const maxRecords = 5

const count = (known: Known, kind: string): number => known.facts.filter((fact) => fact.startsWith(kind)).length

const email = (known: Known, random: Random): Change => {
  const value = `at${random.below(1e9)}@${known.username}.example`
  return { fact: 'contact_email', value, method: 'PATCH', path: '', body: { contact_email: value } }
}

const cgi = (known: Known): Change => {
  const value = known.value('cgi') === false
  return { fact: 'cgi', value, method: 'PATCH', path: '', body: { cgi: value } }
}

const suspended = (known: Known): Change => {
  const value = known.value('suspended') !== true
  return { fact: 'suspended', value, method: 'POST', path: value ? '/suspend' : '/unsuspend', body: {} }
}

const domain = (known: Known, random: Random): Change => {
  const name = `d${random.below(1e9)}.${known.username}.example`
  return { fact: `domain ${name}`, value: true, method: 'POST', path: '/domains', body: { name } }
}

const record = (known: Known, random: Random): Change => {
  const name = `r${random.below(1e9)}`
  const body = { name, type: 'TXT', value: known.username }
  return { fact: `record ${name}`, value: true, method: 'POST', path: `/dns/zones/${known.zone}/records`, body }
}

/** What is to be changed next. */
export function changeOf(known: Known, random: Random): Change {
  const dice = random.next()
  if (dice < 0.1) return suspended(known)
  if (dice < 0.2 && count(known, 'domain') < maxDomains) return domain(known, random)
  if (dice < 0.35 && known.zone && count(known, 'record') < maxRecords) return record(known, random)
  return dice < 0.65 ? cgi(known) : email(known, random)
}
