import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Store } from '../../store/open.ts'
import type { Metrics } from './registry.ts'

/** The store's files, their disk, and the changes waiting for a commit. */
export function measureStore(metrics: Metrics, store: Store): void {
  const file = store.sqlite.name
  const size = (end: string) => (): number => statSync(file + end, { throwIfNoEntry: false })?.size ?? 0
  metrics.gauge('panel_store_bytes', 'Size of the store.', size(''))
  metrics.gauge('panel_store_wal_bytes', 'Size of its write-ahead log.', size('-wal'))
  metrics.gauge('panel_store_disk_free_bytes', 'Free space on the disk of the store.', () => freeBytes(dirname(file)))
  metrics.gauge('panel_changes_waiting', 'Changes waiting to be committed.', () => store.waiting)
  const refusals = () => [{ value: store.refusals }]
  metrics.add({
    name: 'panel_store_refusals_total',
    help: 'Commits that the disk refused.',
    type: 'counter',
    samples: refusals,
  })
  metrics.gauge('panel_store_healthy', '1 while writes are kept, else 0.', () =>
    Number(store.storageError === undefined),
  )
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}
