import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  encode,
  type Frame,
  FrameReader,
  MAX_FRAME_BYTES,
  MAX_HELLO_BYTES,
} from '../../../src/host/agent/protocol/frames.ts'

const readAll = (chunks: readonly Buffer[], reader = new FrameReader()): Frame[] =>
  chunks.flatMap((chunk) => [...reader.read(chunk)])

const prefixed = (length: number, text = ''): Buffer => {
  const bytes = Buffer.alloc(4 + Buffer.byteLength(text))
  bytes.writeUInt32BE(length)
  bytes.write(text, 4)
  return bytes
}

describe('frames', () => {
  test('round-trips frames, however the stream is split', () => {
    const frames = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 8 })
    const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 40 }))
    fc.assert(
      fc.property(frames, cuts, (input, sizes) => {
        const sent = input.map((frame) => JSON.parse(JSON.stringify(frame)))
        const bytes = Buffer.concat(sent.map(encode))
        const chunks: Buffer[] = []
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value as number
          chunks.push(bytes.subarray(at, at + size))
          at += size
        }
        expect(readAll(chunks)).toEqual(sent)
      }),
    )
  })

  test('accepts only small frames of a peer that has not introduced itself', () => {
    const reader = new FrameReader()
    expect(() => readAll([prefixed(MAX_HELLO_BYTES + 1)], reader)).toThrow(`larger than ${MAX_HELLO_BYTES}`)
    const trusted = new FrameReader()
    trusted.trust()
    expect(() => readAll([prefixed(MAX_FRAME_BYTES + 1)], trusted)).toThrow(`larger than ${MAX_FRAME_BYTES}`)
  })

  test('never sends frames that the other side could not read', () => {
    expect(() => encode({ text: 'x'.repeat(MAX_FRAME_BYTES) })).toThrow(`larger than ${MAX_FRAME_BYTES}`)
  })

  test.each(['[]', 'null', '7', '{', ''])('refuses frames with %j instead of an object', (text) => {
    expect(() => readAll([prefixed(text.length, text)])).toThrow('A frame is not a JSON object.')
  })
})
