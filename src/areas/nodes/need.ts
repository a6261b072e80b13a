import type { PackageRow } from '../packages/tables.ts'
import type { Need } from './placement.ts'

/** What accounts of a package require of their node. */
export const needOf = ({ disk_quota_mb, node_labels }: PackageRow): Need => ({
  quota: disk_quota_mb,
  labels: node_labels ?? [],
})
