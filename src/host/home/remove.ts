import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import type { Directory } from './directory.ts'

/** The maximum number of open levels; what lies deeper is moved up first. */
const deepest = 50

/** Permanently removes an entry and all below it; resumable. `step`: called before each entry. */
export async function removeAll(
  parent: Directory,
  name: Buffer,
  signal?: AbortSignal,
  step?: () => Promise<void>,
): Promise<void> {
  let moved = 0
  const clear = async (above: Directory, inner: Buffer, depth: number): Promise<void> => {
    signal?.throwIfAborted()
    await step?.()
    const stats = await above.find(inner)
    if (!stats) return
    if (!stats.isDirectory()) return above.unlink(inner)
    if (depth > deepest) {
      const free = Buffer.from(`${name.toString('latin1')}.${process.pid}.${moved++}`)
      await above.rename(inner, parent, free)
      return removeAll(parent, free, signal, step)
    }
    await opened(above, inner, async (directory) => {
      for await (const child of directory.names()) await clear(directory, child, depth + 1)
    })
    await above.removeDirectory(inner)
  }
  await clear(parent, name, 0)
}

async function opened(above: Directory, name: Buffer, act: (directory: Directory) => Promise<void>): Promise<void> {
  const directory = await above.down(name)
  try {
    await act(directory).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES') throw error
      await makeReadable(above, name)
      await act(directory)
    })
  } finally {
    await directory.close()
  }
}

const O_PATH = 0o10000000

/** Its owner may have removed his own access. */
async function makeReadable(above: Directory, name: Buffer): Promise<void> {
  const held = await fs.open(above.place(name), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    await fs.chmod(`/proc/self/fd/${held.fd}`, 0o700)
  } finally {
    await held.close()
  }
}
