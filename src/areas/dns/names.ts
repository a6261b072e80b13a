import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { withoutUrl } from '../../shared/pasted-name.ts'
import { MAX_HOSTNAME_LENGTH } from '../../shared/patterns.ts'
import { ZoneError } from './error.ts'

/** Besides a host's characters `_`, and `/` (RFC 2317). */
const plain = /^[a-z0-9_/](?:[a-z0-9_/-]{0,61}[a-z0-9_/])?$/
const top = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{0,57}[a-z0-9])$/

const MAX_LABEL_BYTES = 63

/** The label in lower-case ASCII, undefined if it is not allowed in names here. */
function labelOf(text: string): string | undefined {
  if (text.includes('\\')) return escapedLabel(text)
  const ascii = /^[!-~]*$/.test(text) ? text.toLowerCase() : encoded(text)
  return plain.test(ascii) && (!ascii.startsWith('xn--') || decodes(ascii)) ? ascii : undefined
}

/** A label with escapes has any bytes, such as the name of a service's instance (RFC 6763), and keeps its case. */
function escapedLabel(text: string): string | undefined {
  const bytes = bytesOf(text)
  if (!bytes || bytes.length === 0 || bytes.length > MAX_LABEL_BYTES) return undefined
  const visible = [...bytes].map(characterOf).join('')
  return visible.includes('\\') ? visible : labelOf(visible)
}

const characterOf = (byte: number): string => {
  const character = String.fromCharCode(byte)
  return /[A-Za-z0-9_/-]/.test(character) ? character : `\\${String(byte).padStart(3, '0')}`
}

function bytesOf(text: string): Buffer | undefined {
  const parts: Buffer[] = []
  for (const [, digits, escaped, bare] of text.matchAll(/\\(\d{3})|\\(.)|([^\\]+|\\)/gsu)) {
    if (bare === '\\' || Number(digits ?? 0) > 255) return undefined
    parts.push(digits === undefined ? Buffer.from(escaped ?? bare ?? '') : Buffer.from([Number(digits)]))
  }
  return Buffer.concat(parts)
}

const encoded = (text: string): string => (/[\s\p{Cc}%]/u.test(text) ? '' : domainToASCII(text.toLowerCase()))

/** Newer Node accepts any label that claims to be encoded; verify that it round-trips. */
function decodes(label: string): boolean {
  const unicode = domainToUnicode(label)
  return unicode !== label && domainToASCII(unicode) === label
}

/** A name's labels as they are: an escaped dot is part of one. */
const split = (name: string): string[] => {
  // IDNA's other dots.
  const labels = ['']
  for (const [piece] of name.matchAll(/\\\d{3}|\\.|./gsu))
    if (/^[.\u3002\uff0e\uff61]$/.test(piece)) labels.push('')
    else labels[labels.length - 1] += piece
  return labels
}

/** Whether it ends with a dot that is not escaped. */
export const isRooted = (name: string): boolean => name.endsWith('.') && split(name).at(-1) === ''

/** The labels of a name in lower-case ASCII, or undefined. */
function labelsOf(name: string): string[] | undefined {
  const labels = split(name).map(labelOf)
  return labels.every((label) => label !== undefined) ? labels : undefined
}

/** Whether a name is the zone's or below it. */
export const isWithin = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`)

export const absolute = (name: string, zone: string): string => (name === '@' ? zone : `${name}.${zone}`)

export const relative = (name: string, zone: string): string => (name === zone ? '@' : name.slice(0, -zone.length - 1))

/** The name of a record, relative to its zone. */
export function ownerOf(name: string, zone: string): string {
  const relativeName = unrooted(pasted(name), zone)
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
  'must be @ or a name in the zone: labels of letters, digits, -, _ and /, at most 63 each, none beginning or ending with a dash, other characters as \\DDD; * only as the whole first label'

const instance = /^([^.\\]*[^A-Za-z0-9_.\\/*@-][^.\\]*)(\._[a-z0-9-]+\._(?:tcp|udp)(?:\..*)?)$/iu

/** A name as it was pasted: without an address around it, and with the blanks of a service's instance escaped. */
function pasted(text: string): string {
  const name = withoutUrl(text)
  const own = /[^\\]\.@$/.test(name) ? name.slice(0, -2) : name
  const [, label, service] = instance.exec(own) ?? []
  return label === undefined ? own : `${[...Buffer.from(label)].map(characterOf).join('')}${service}`
}

/** Makes an absolute name relative to the zone. */
function unrooted(name: string, zone: string): string {
  const rooted = isRooted(name)
  const bare = rooted ? name.slice(0, -1) : name
  const spelled = normalized(bare)
  if (isWithin(spelled, zone)) return relative(spelled, zone)
  if (rooted) throw new ZoneError('name', `is outside the zone ${zone}`)
  return name
}

/** Normalizes a name's labels if they are valid, for comparison. */
export function normalized(name: string): string {
  const wildcard = name.startsWith('*.')
  const labels = labelsOf(wildcard ? name.slice(2) : name)
  return labels ? `${wildcard ? '*.' : ''}${labels.join('.')}` : name.toLowerCase()
}

/** Whether a name is a host's: letters, digits and dashes alone. */
export const isHostName = (name: string): boolean => !/[_/\\]/.test(name)

/** A host as pasted out of a list or a sentence; an escaped comma is part of the name. */
const withoutComma = (text: string): string => (/(?<!\\),$/.test(text) ? text.slice(0, -1).trimEnd() : text)

/** A record's target host: absolute, without the final dot. */
export function hostOf(value: string, zone: string, anyLabels = false): string {
  const text = withoutComma(value.trim())
  if (text === '@') return zone
  const bare = isRooted(text) ? text.slice(0, -1) : text
  if (isIP(bare)) throw new ZoneError('value', 'must be the name of a host, not an IP address')
  if (bare.includes(':') || (bare.includes('/') && !anyLabels))
    throw new ZoneError('value', 'must be the name of a host, not a URL')
  const labels = labelsOf(bare)
  if (!labels || !top.test(labels.at(-1)!) || (!anyLabels && !labels.every(isHostName)))
    throw new ZoneError('value', 'must be the name of a host')
  if (labels.length < 2) throw new ZoneError('value', `must be a whole name: ${bare}.${zone}`)
  const name = labels.join('.')
  if (name.length > MAX_HOSTNAME_LENGTH)
    throw new ZoneError('value', `must have at most ${MAX_HOSTNAME_LENGTH} characters`)
  return name
}
