import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './figures.ts'
import { newDirectory } from './panel.ts'

/** Milliseconds that the disk takes to keep a few bytes. */
export function flushTime(): number {
  const handle = openSync(join(newDirectory(), 'file'), 'w')
  const times = Array.from({ length: 100 }, () => {
    const began = performance.now()
    writeSync(handle, 'x'.repeat(1000), 0)
    fsyncSync(handle)
    return performance.now() - began
  })
  closeSync(handle)
  return median(times)
}
