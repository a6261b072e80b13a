import type { Extent } from './entry.ts'
import { damaged, refused } from './refused.ts'
import type { Taker } from './taker.ts'
import { blockSize } from './tar.ts'
import { type Description, sizeAt } from './tar-fields.ts'

/** Of one file: fragmented disk images have some thousands. */
const MAX_EXTENTS = 100_000
const EXTENTS_PER_BLOCK = 21

/** A file with holes: its full size, and how many bytes of the archive its map took. */
export interface Holes {
  readonly size: number
  readonly extents: readonly Extent[]
  readonly mapBytes: number
}

/** GNU's format of `S` entries: the map is in the header, and in blocks that follow it. */
export async function holesInHeader(header: Buffer, taker: Taker): Promise<Holes> {
  const extents = extentsAt(header, 386, 4)
  for (let more = header[482] !== 0; more; ) {
    const block = await taker.take(blockSize)
    extents.push(...extentsAt(block, 0, EXTENTS_PER_BLOCK))
    refuseMany(extents.length)
    more = block[504] !== 0
  }
  return { size: sizeAt(header, 483, 12), extents, mapBytes: 0 }
}

function extentsAt(block: Buffer, from: number, count: number): Extent[] {
  const extents: Extent[] = []
  for (let at = from; at < from + 24 * count; at += 24)
    if (block[at] !== 0) extents.push({ offset: sizeAt(block, at, 12), length: sizeAt(block, at + 12, 12) })
  return extents
}

/** The pax formats: 1.0 has the map before the data, 0.0 and 0.1 in the extended header. */
export async function holesDescribed(description: Description, taker: Taker): Promise<Holes> {
  const { sparseSize: size, sparseMap, sparseVersion } = description
  if (size === undefined) throw damaged()
  if (sparseVersion === '1.0') return { size, ...(await mapBeforeData(taker)) }
  if (!sparseMap) throw damaged()
  return { size, extents: pairsOf(sparseMap), mapBytes: 0 }
}

function pairsOf(numbers: readonly number[]): Extent[] {
  if (numbers.length % 2 !== 0) throw damaged()
  refuseMany(numbers.length / 2)
  return Array.from({ length: numbers.length / 2 }, (_, nth) => ({
    offset: numbers[2 * nth]!,
    length: numbers[2 * nth + 1]!,
  }))
}

/** Decimal numbers, one a line: how many extents, then offset and length of each; padded to a block. */
async function mapBeforeData(taker: Taker): Promise<Pick<Holes, 'extents' | 'mapBytes'>> {
  let [text, mapBytes] = ['', 0]
  const numbers: number[] = []
  while (numbers.length === 0 || numbers.length < 1 + 2 * numbers[0]!) {
    text += (await taker.take(blockSize)).toString('latin1')
    mapBytes += blockSize
    const lines = text.split('\n')
    text = lines.pop()!
    for (const line of lines.slice(0, 1 + 2 * MAX_EXTENTS)) {
      if (numbers.length > 0 && numbers.length === 1 + 2 * numbers[0]!) break
      if (!/^\d{1,15}$/.test(line)) throw damaged()
      numbers.push(Number(line))
      refuseMany(numbers[0]!)
    }
    if (text.length > blockSize) throw damaged()
  }
  return { extents: pairsOf(numbers.slice(1)), mapBytes }
}

function refuseMany(extents: number): void {
  if (extents > MAX_EXTENTS) throw refused(`a file in it has more than ${MAX_EXTENTS} parts between holes`)
}

/** Ascending, within the file, and as long as what is stored of it; those without bytes are left out. */
export function checkedExtents({ size, extents }: Holes, stored: number): Extent[] {
  let [end, sum] = [0, 0]
  for (const { offset, length } of extents) {
    if (offset < end || offset + length > size) throw damaged()
    end = offset + length
    sum += length
  }
  if (sum !== stored) throw damaged()
  return extents.filter(({ length }) => length > 0)
}
