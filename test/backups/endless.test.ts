import { expect, test } from 'vitest'
import { readManifest } from '../../src/host/backup/check.ts'
import type { BackupReader } from '../../src/host/backup/reader.ts'

test('reads at most 16 MiB of a manifest without an end', async () => {
  const taken = { bytes: 0, ended: false }
  const reader: BackupReader = {
    sizeOf: async () => 100,
    async *read() {
      try {
        for (; ; taken.bytes += 1024 * 1024) yield Buffer.alloc(1024 * 1024, ' ')
      } finally {
        taken.ended = true
      }
    },
  }
  expect(await readManifest(reader, '0'.repeat(64))).toBe('manifest.json has changed.')
  expect(taken).toEqual({ bytes: 16 * 1024 * 1024, ended: true })
})
