import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { MAX_HOSTNAME_LENGTH } from '../../shared/patterns.ts'
import { ZoneError } from './error.ts'

const plain = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const top = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{0,57}[a-z0-9])$/

/** The label in lower-case ASCII, undefined if it is not allowed in names here. */
function labelOf(text: string): string | undefined {
  const ascii = /^[!-~]*$/.test(text) ? text.toLowerCase() : encoded(text)
  return plain.test(ascii) && (!ascii.startsWith('xn--') || decodes(ascii)) ? ascii : undefined
}

const encoded = (text: string): string => (/[\s\p{Cc}%]/u.test(text) ? '' : domainToASCII(text.toLowerCase()))

/** Newer Node accepts any label that claims to be encoded; verify that it round-trips. */
function decodes(label: string): boolean {
  const unicode = domainToUnicode(label)
  return unicode !== label && domainToASCII(unicode) === label
}

/** The labels of a name in lower-case ASCII, or undefined. */
function labelsOf(name: string): string[] | undefined {
  // IDNA's other dots.
  const labels = name.split(/[.\u3002\uff0e\uff61]/).map(labelOf)
  return labels.every((label) => label !== undefined) ? labels : undefined
}

/** Whether a name is the zone's or below it. */
export const isWithin = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`)

export const absolute = (name: string, zone: string): string => (name === '@' ? zone : `${name}.${zone}`)

export const relative = (name: string, zone: string): string => (name === zone ? '@' : name.slice(0, -zone.length - 1))

/** The name of a record, relative to its zone. */
export function ownerOf(name: string, zone: string): string {
  const relativeName = unrooted(name, zone)
  if (relativeName === '@') return '@'
  const wildcard = relativeName === '*' || relativeName.startsWith('*.')
  const rest = wildcard ? relativeName.slice(2) : relativeName
  const labels = rest === '' && wildcard ? [] : labelsOf(rest)
  if (!labels) throw new ZoneError('name', labelRules)
  const owner = [...(wildcard ? ['*'] : []), ...labels].join('.')
  if (absolute(owner, zone).length > MAX_HOSTNAME_LENGTH)
    throw new ZoneError('name', `must have at most ${MAX_HOSTNAME_LENGTH} characters with the name of the zone`)
  return owner
}

const labelRules =
  'must be @ or a name in the zone: labels of letters, digits, - and _, at most 63 each, none beginning or ending with a dash; * only as the whole first label'

/** Makes an absolute name relative to the zone. */
function unrooted(name: string, zone: string): string {
  const lower = name.toLowerCase()
  const rooted = lower.endsWith('.')
  const bare = rooted ? lower.slice(0, -1) : lower
  const spelled = ascii(bare)
  if (isWithin(spelled, zone)) return relative(spelled, zone)
  if (rooted) throw new ZoneError('name', `is outside the zone ${zone}`)
  return lower
}

/** Normalizes a name's labels if they are valid, for comparison. */
function ascii(name: string): string {
  if (/^[!-~]*$/.test(name)) return name
  const wildcard = name.startsWith('*.')
  const labels = labelsOf(wildcard ? name.slice(2) : name)
  return labels ? `${wildcard ? '*.' : ''}${labels.join('.')}` : name
}

/** A record's target host: absolute, without the final dot. */
export function hostOf(value: string, zone: string, underscores = false): string {
  if (value === '@') return zone
  const bare = value.endsWith('.') ? value.slice(0, -1) : value
  if (isIP(bare)) throw new ZoneError('value', 'must be the name of a host, not an IP address')
  if (/[/:]/.test(bare)) throw new ZoneError('value', 'must be the name of a host, not a URL')
  const labels = labelsOf(bare)
  if (!labels || !top.test(labels.at(-1)!) || (!underscores && labels.some((label) => label.includes('_'))))
    throw new ZoneError('value', 'must be the name of a host')
  if (labels.length < 2) throw new ZoneError('value', `must be a whole name: ${bare}.${zone}`)
  const name = labels.join('.')
  if (name.length > MAX_HOSTNAME_LENGTH)
    throw new ZoneError('value', `must have at most ${MAX_HOSTNAME_LENGTH} characters`)
  return name
}
