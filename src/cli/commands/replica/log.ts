import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** Where the index of a log says how large pages are, and how many of them it holds (https://sqlite.org/walformat.html). */
const place = { page: 14, frames: 16, end: 20 }
const headOfFrame = 24

/** How many bytes of the store's log are in use: one that is emptied keeps its size. Nothing where its index does not say. */
export function usedOfLog(dataDir: string): number | undefined {
  const head = headOf(join(dataDir, 'panel.db-shm'))
  if (!head) return undefined
  const page = head.readUInt16LE(place.page)
  return head.readUInt32LE(place.frames) * ((page === 1 ? 65_536 : page) + headOfFrame)
}

function headOf(index: string): Buffer | undefined {
  try {
    const [handle, head] = [openSync(index, 'r'), Buffer.alloc(place.end)]
    try {
      return readSync(handle, head) === place.end ? head : undefined
    } finally {
      closeSync(handle)
    }
  } catch {
    return undefined
  }
}
