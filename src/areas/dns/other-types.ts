import { isIPv4, isIPv6 } from 'node:net'
import { quoted } from '../../shared/zone/data.ts'
import { ZoneError } from './error.ts'
import { hostOf } from './names.ts'
import { FileError } from './zone-file/error.ts'
import { linesOf } from './zone-file/lines.ts'

const refused = (message: string) => new ZoneError('value', message)

/** A host in zone file format. */
const hostText = (name: string, zone: string): string => (name === '.' ? name : `${hostOf(name, zone, true)}.`)

const form = /^(\S+)((?:\s+[a-z0-9-]+(?:=(?:"[^"\\]*"|[^\s"\\]*))?)*)\s*$/i
const parameter = /([a-z0-9-]+)(?:=(?:"([^"\\]*)"|([^\s"\\]*)))?/gi

/** Older versions of BIND know some parameters only by number. */
const numbered: Readonly<Record<string, string>> = { dohpath: 'key7', ohttp: 'key8' }

const listOf =
  (is: (item: string) => boolean) =>
  (value: string): boolean =>
    value.split(',').every(is)

const bindings: Readonly<Record<string, (value: string) => boolean>> = {
  mandatory: listOf((item) => /^(?:alpn|no-default-alpn|port|ipv4hint|ech|ipv6hint|key\d{1,5})$/.test(item)),
  alpn: listOf((item) => /^[!-+--[\]-~]{1,255}$/.test(item)),
  'no-default-alpn': (value) => value === '',
  port: (value) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535,
  ipv4hint: listOf(isIPv4),
  ech: (value) => isBase64(value),
  ipv6hint: listOf((item) => isIPv6(item) && !item.includes('%')),
}

/** The host and parameters of SVCB and HTTPS (RFC 9460). */
export function serviceBinding(
  value: string,
  zone: string,
  { priority }: { readonly priority?: number | undefined },
): string {
  const [, target, list = ''] = form.exec(value.trim()) ?? []
  if (target === undefined) throw refused('must be a host, or ".", and parameters such as alpn="h3,h2"')
  const parameters = [...list.matchAll(parameter)].map(([, key, inQuotes, bare]) => {
    const name = key!.toLowerCase()
    return [numbered[name] ?? name, inQuotes ?? bare ?? ''] as const
  })
  refuseParameters(parameters, priority)
  return [hostText(target, zone), ...parameters.map(([key, text]) => (text === '' ? key : `${key}="${text}"`))].join(
    ' ',
  )
}

function refuseParameters(parameters: readonly (readonly [string, string])[], priority: number | undefined): void {
  const names = parameters.map(([key]) => key)
  for (const [key, text] of parameters) {
    const isValid = /^key\d{1,5}$/.test(key) ? Number(key.slice(3)) < 65_535 : bindings[key]?.(text)
    if (!isValid) throw refused(`has a parameter that is not valid: ${key}${text && `="${text}"`}`)
    if (names.indexOf(key) !== names.lastIndexOf(key)) throw refused(`has the parameter ${key} twice`)
    if (!/^[ -~]{0,2000}$/.test(text)) throw refused(`must have printable ASCII characters in ${key}`)
  }
  if (priority === 0 && names.length > 0) throw refused('must be a host alone where the priority is 0')
  if (names.includes('no-default-alpn') && !names.includes('alpn'))
    throw refused('must have alpn beside no-default-alpn')
  const mandatory = parameters.find(([key]) => key === 'mandatory')?.[1].split(',') ?? []
  const missing = mandatory.find((key) => !names.includes(key))
  if (missing) throw refused(`must have the parameter ${missing}, which it calls mandatory`)
}

const number16 = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= 65_535

/** NAPTR (RFC 3403): order, preference, flags, services, expression and replacement. */
export function rewriting(value: string, zone: string): string {
  const [line] = [...linesOf(value)].filter((one) => one !== undefined)
  const words = line && !(line instanceof FileError) ? line.words : []
  const [order, preference, flags, services, expression, target] = words.map(({ bytes }) => bytes.toString())
  if (words.length !== 6 || !number16(order!) || !number16(preference!))
    throw refused('must be an order, a preference, flags, services, an expression and a host')
  if (!/^[A-Za-z0-9]{0,32}$/.test(flags!) || !/^[A-Za-z0-9+:.-]{0,255}$/.test(services!))
    throw refused('must have flags and services of letters and digits')
  if (!isExpression(expression!)) throw refused('must have an expression such as "!^.*$!sip:info@shop.example!", or ""')
  return [
    Number(order),
    Number(preference),
    quoted(flags!),
    quoted(services!),
    quoted(expression!),
    hostText(target!, zone),
  ].join(' ')
}

function isExpression(text: string): boolean {
  if (text === '') return true
  if (!/^[ -~]{3,255}$/.test(text) || /^[0-9i\\]/.test(text)) return false
  const [, ...parts] = text.split(text[0]!)
  const [pattern, replacement, flags] = parts
  if (parts.length !== 3 || !pattern || !/^i?$/.test(flags!)) return false
  return !/\\0/.test(replacement!) && (pattern.match(/\(/g) ?? []).length === (pattern.match(/\)/g) ?? []).length
}

const coordinate = (degrees: number, sides: string) =>
  `(${degrees === 90 ? '[0-8]?\\d|90' : '1[0-7]\\d|180|\\d{1,2}'})(?: ([0-5]?\\d)(?: ([0-5]?\\d(?:\\.\\d{1,3})?))?)? ([${sides}])`
const metres = '\\d{1,8}(?:\\.\\d{1,2})?M?'
const place = new RegExp(`^${coordinate(90, 'NS')} ${coordinate(180, 'EW')} (-?${metres})((?: ${metres}){0,3})$`)

/** LOC (RFC 1876). */
export function location(value: string): string {
  const text = value.trim().replace(/\s+/g, ' ').toUpperCase()
  if (!place.test(text)) throw refused('must be a place such as 52 31 12 N 13 24 36 E 34m')
  return text.replaceAll('M', 'm')
}

/** As BIND reads it: its unused bits are zero. */
const isBase64 = (text: string): boolean => text !== '' && Buffer.from(text, 'base64').toString('base64') === text

const MAX_KEY_CHARACTERS = 16_384

export function openPgpKey(value: string): string {
  const text = value.replace(/\s+/g, '')
  if (!isBase64(text) || text.length > MAX_KEY_CHARACTERS)
    throw refused('must be a public key in base64, without its armour')
  return text
}

export function uri(input: string): string {
  const value = input.trim().replace(/^"([^"]*)"$/, '$1')
  if (!/^[a-z][a-z0-9+.-]*:[!-~]{1,1000}$/i.test(value))
    throw refused('must be an address such as https://shop.example/')
  return value
}
