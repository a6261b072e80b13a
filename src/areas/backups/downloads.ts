import type { Runtime } from '../../runtime/runtime.ts'

/** Downloads in flight per backup: a backup being read is not deleted. */
const active = new WeakMap<Runtime, Map<string, number>>()

export const isDownloaded = (runtime: Runtime, backup: string): boolean => active.get(runtime)?.has(backup) ?? false

/** Counts a download; returns a function that counts its end, once. */
export function beginDownload(runtime: Runtime, backup: string): () => void {
  const counts = active.get(runtime) ?? new Map<string, number>()
  active.set(runtime, counts)
  counts.set(backup, (counts.get(backup) ?? 0) + 1)
  let ended = false
  return () => {
    if (ended) return
    ended = true
    const left = counts.get(backup)! - 1
    if (left === 0) counts.delete(backup)
    else counts.set(backup, left)
  }
}
