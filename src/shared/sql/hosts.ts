import { isIPv4, isIPv6 } from 'node:net'

/** The largest and smallest client network. */
const widest = 16
const narrowest = 31

/** Whether database users may be allowed from there: an address or an IPv4 network, in canonical form. */
export function isClientHost(text: string): boolean {
  const [address = '', bits] = text.split('/')
  if (bits !== undefined) return isNetwork(address, bits) && text === `${address}/${bits}`
  return isIPv4(address) ? isUnicast(address) : isOneIPv6(address)
}

function isNetwork(address: string, bits: string): boolean {
  if (!isIPv4(address) || !isUnicast(address) || !/^[1-9]\d$/.test(bits)) return false
  const size = Number(bits)
  return size >= widest && size <= narrowest && (numberOf(address) & ~maskOf(size)) >>> 0 === 0
}

const numberOf = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) >>> 0

const maskOf = (bits: number): number => (0xffff_ffff << (32 - bits)) >>> 0

const isUnicast = (address: string): boolean => address !== '0.0.0.0' && numberOf(address) < 0xe000_0000

/** In RFC 5952 form, as the server names a client; no IPv4-mapped address. */
function isOneIPv6(address: string): boolean {
  if (!isIPv6(address) || !/^[0-9a-f:]+$/.test(address)) return false
  if (address === '::' || address.startsWith('ff') || address.startsWith('::ffff:')) return false
  return new URL(`http://[${address}]`).hostname === `[${address}]`
}

/** The form in the server's grant tables: a network with its mask. */
export function hostText(host: string): string {
  const [address, bits] = host.split('/')
  if (bits === undefined) return host
  const mask = maskOf(Number(bits))
  return `${address}/${[24, 16, 8, 0].map((shift) => (mask >>> shift) & 255).join('.')}`
}
