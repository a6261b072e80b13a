/** Just enough of DER to write a certificate: a value's tag, length and bytes. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Buffer.of(0x80 + bytes.length, ...bytes)
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts)
export const set = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts)
export const octets = (content: Uint8Array): Buffer => der(0x04, content)
export const text = (content: string): Buffer => der(0x0c, Buffer.from(content))
/** The last byte may have unused bits. */
export const bits = (content: Uint8Array, unused = 0): Buffer => der(0x03, Buffer.of(unused), content)
export const integer = (bytes: Uint8Array): Buffer => der(0x02, bytes)
export const truth = (): Buffer => der(0x01, Buffer.of(0xff))
export const nothing = (): Buffer => der(0x05)

/** `2.5.29.17` */
export function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split('.').map(Number)
  return der(0x06, Buffer.from([first! * 40 + second!, ...rest.flatMap(base128)]))
}

const base128 = (value: number): number[] =>
  value < 128 ? [value] : [...base128(Math.floor(value / 128)).map((byte) => byte | 0x80), value % 128]

const lastShort = Date.UTC(2050, 0)

/** Years from 2050 on are written with four digits. */
export function time(at: number): Buffer {
  const digits = `${new Date(at).toISOString().replace(/\.\d+|[-:T]/g, '')}`
  return at < lastShort ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits))
}
