/** A message of the milter protocol: a command letter and its data. */
export interface Packet {
  readonly command: string
  readonly data: Buffer
}

const MAX_PACKET_BYTES = 1024 * 1024

/** Splits a byte stream into packets. */
export class Packets {
  #rest = Buffer.alloc(0)

  take(bytes: Buffer): Packet[] {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const packets: Packet[] = []
    for (let packet = this.#next(); packet; packet = this.#next()) packets.push(packet)
    return packets
  }

  #next(): Packet | undefined {
    if (this.#rest.length < 4) return undefined
    const length = this.#rest.readUInt32BE(0)
    if (length < 1 || length > MAX_PACKET_BYTES) throw new Error(`A milter packet has ${length} bytes.`)
    if (this.#rest.length < 4 + length) return undefined
    const packet = { command: String.fromCharCode(this.#rest[4]!), data: this.#rest.subarray(5, 4 + length) }
    this.#rest = this.#rest.subarray(4 + length)
    return packet
  }
}

export function packetOf(command: string, data: string | Buffer = ''): Buffer {
  const body = Buffer.concat([Buffer.from(command, 'latin1'), Buffer.from(data)])
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

/** NUL-terminated strings. */
export const texts = (data: Buffer): string[] => data.toString('utf8').split('\0').slice(0, -1)

const newest = 6
/** Adding and changing headers. */
const changesHeaders = 0x01 | 0x10
/** Skips connections and bodies, and sends no replies to headers. */
const wantsLess = 0x01 | 0x02 | 0x10 | 0x80 | 0x100 | 0x200

/** The options negotiated with a mail server. */
export function agreement(offered: Buffer): Buffer {
  const agreed = Buffer.alloc(12)
  agreed.writeUInt32BE(Math.min(newest, offered.readUInt32BE(0)), 0)
  agreed.writeUInt32BE(changesHeaders, 4)
  agreed.writeUInt32BE((wantsLess & offered.readUInt32BE(8)) >>> 0, 8)
  return packetOf('O', agreed)
}

export const goOn = packetOf('c')
export const refusal = (text: string): Buffer => packetOf('y', `${text}\0`)
/** Deletes a header of this name: the first one is number 1. */
export function withoutHeader(name: string, number: number): Buffer {
  const position = Buffer.alloc(4)
  position.writeUInt32BE(number)
  return packetOf('m', Buffer.concat([position, Buffer.from(`${name}\0\0`)]))
}
export const header = (name: string, value: string): Buffer => packetOf('h', `${name}\0${value}\0`)
