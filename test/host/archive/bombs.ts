import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import { tarOf } from './made.ts'

const megabyte = 1024 * 1024
const piece = 64 * megabyte

/** A tar.gz with a file of many zeros, in as many members as needed; it is small, and made instantly. */
export function bombGz(size: number): Buffer {
  const head = gzipSync(tarOf({ path: 'zeros', size }).subarray(0, 512))
  const zeros = gzipSync(Buffer.alloc(piece))
  return Buffer.concat([head, ...Array(size / piece).fill(zeros), gzipSync(Buffer.alloc(1024))])
}

/** The same as a zip. */
export function bombZip(size: number): Buffer {
  const zeros = deflateRawSync(Buffer.alloc(piece), { finishFlush: constants.Z_FULL_FLUSH })
  const packed = Buffer.concat([...Array(size / piece).fill(zeros), deflateRawSync(Buffer.alloc(0))])
  const zip64 = Buffer.alloc(12)
  zip64.writeUInt16LE(1, 0)
  zip64.writeUInt16LE(8, 2)
  zip64.writeBigUInt64LE(BigInt(size), 4)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(45, 0)
  common.writeUInt16LE(8, 4)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(0xffffffff, 18)
  common.writeUInt16LE(5, 22)
  common.writeUInt16LE(zip64.length, 24)
  const name = Buffer.from('zeros')
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, zip64, packed])
  const central = Buffer.concat([
    Buffer.from('PK\x01\x02'),
    Buffer.from([45, 3]),
    common,
    Buffer.alloc(14),
    name,
    zip64,
  ])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, central, end])
}
