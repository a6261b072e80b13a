import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Normalizes an address: IPv4-mapped IPv6 becomes IPv4, and zone ids are removed. */
export function canonicalAddress(text: string): string {
  if (isIPv4(text)) return text
  const address = parseAddress(text.split('%')[0]!)
  return address ? address.toString() : text
}

/** The network of one caller: an IPv4 address, or an IPv6 /64. */
export function networkOf(address: string): string {
  return ipaddr.IPv6.isValid(address) ? startOf(address, 8) : address
}

/** The IPv6 /48 of an address, which one customer of a provider often has whole. */
export const siteOf = (address: string): string | undefined =>
  ipaddr.IPv6.isValid(address) ? startOf(address, 6) : undefined

function startOf(address: string, bytes: number): string {
  const all = ipaddr.IPv6.parse(address).toByteArray()
  return ipaddr.fromByteArray([...all.slice(0, bytes), ...new Array(16 - bytes).fill(0)]).toString()
}

function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  if (!ipaddr.IPv6.isValid(text) || text.includes('%')) return undefined
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Returns an address or a CIDR range in canonical form, undefined if it is neither. */
export function canonicalRange(text: string): string | undefined {
  const range = parseRange(text)
  if (!range) return undefined
  const [address, bits] = range
  const complete = address.kind() === 'ipv4' ? 32 : 128
  return bits === complete ? address.toString() : `${address.toString()}/${bits}`
}

function parseRange(text: string): [Address, number] | undefined {
  const [head, tail, more] = text.split('/')
  const mapped = head !== undefined && /^::ffff:/i.test(head) && tail !== undefined
  const address = head === undefined || more !== undefined ? undefined : parseAddress(head)
  if (!address) return undefined
  const complete = address.kind() === 'ipv4' ? 32 : 128
  if (tail === undefined) return [address, complete]
  const bits = /^\d{1,3}$/.test(tail) ? Number(tail) - (mapped && complete === 32 ? 96 : 0) : -1
  return bits >= 0 && bits <= complete ? [address, bits] : undefined
}

/** Whether one of the ranges contains the address. Compares parsed bytes; no ranges means any address. */
export function allowedFrom(ranges: readonly string[], address: string | undefined): boolean {
  if (ranges.length === 0) return true
  const parsed = address === undefined ? undefined : parseAddress(address)
  return parsed !== undefined && ranges.some((range) => inRange(parsed, range))
}

function inRange(address: Address, range: string): boolean {
  const parsed = parseRange(range)
  if (!parsed || parsed[0].kind() !== address.kind()) return false
  return (address as ipaddr.IPv4).match(parsed as [ipaddr.IPv4, number])
}
