import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/** An address or a network: its bytes, and how many of their bits count. */
export interface Network {
  readonly bytes: readonly number[]
  readonly bits: number
}

/** Reads an address or `address/bits`; an IPv6 form of an IPv4 address is that one. Undefined for anything else. */
export function networkIn(text: string): Network | undefined {
  const [address = '', length, more] = text.split('/')
  const bytes = bytesOf(address)
  if (!bytes || more !== undefined || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined
  const max = bytes.length * 8
  const isMapped = max === 32 && address.includes(':')
  const bits = length === undefined ? max : Number(length) - (isMapped ? 96 : 0)
  return bits >= 0 && bits <= max ? { bytes, bits } : undefined
}

function bytesOf(address: string): readonly number[] | undefined {
  if (isIPv4(address)) return address.split('.').map(Number)
  if (!isIPv6(address) || address.includes('%')) return undefined
  const groups = groupsOf(new SocketAddress({ address, family: 'ipv6' }).address)
  const bytes = groups.flatMap((group) => [group >> 8, group & 255])
  const isMapped = bytes.slice(0, 10).every((one) => one === 0) && bytes[10] === 255 && bytes[11] === 255
  return isMapped ? bytes.slice(12) : bytes
}

function groupsOf(text: string): number[] {
  const plain = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...four: string[]) => {
    const [a, b, c, d] = four.map(Number) as [number, number, number, number]
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = [], tail = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = new Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}

/** Whether one of them contains the other. */
export function overlaps(one: Network, other: Network): boolean {
  if (one.bytes.length !== other.bytes.length) return false
  const bits = Math.min(one.bits, other.bits)
  const [full, rest] = [bits >> 3, bits & 7]
  for (let at = 0; at < full; at++) if (one.bytes[at] !== other.bytes[at]) return false
  return rest === 0 || (one.bytes[full]! ^ other.bytes[full]!) >> (8 - rest) === 0
}

const BANNED_BITS = 64

/** What a ban of an address covers, in one spelling: an IPv4 address, or the 64 bits of an IPv6 network. */
export function bannedNetwork(address: string): string | undefined {
  const network = networkIn(address)
  if (!network) return undefined
  const { bytes, bits } = network
  if (bytes.length === 4) return bits === 32 ? bytes.join('.') : undefined
  if (bits < BANNED_BITS) return undefined
  const groups = [0, 2, 4, 6].map((at) => ((bytes[at]! << 8) | bytes[at + 1]!).toString(16))
  return `${new SocketAddress({ address: `${groups.join(':')}::`, family: 'ipv6' }).address}/${BANNED_BITS}`
}
