import { eq, sql } from 'drizzle-orm'
import type { HostParts } from '../../../host/contract/driver.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { packages } from '../../packages/tables.ts'
import type { FullAccount } from '../store.ts'
import type { AccountPart } from './part.ts'

type Isolation = Partial<NonNullable<typeof packages.$inferSelect.isolation>>

const queries = prepared((db: Db) => ({
  isolation: db
    .select({ isolation: packages.isolation })
    .from(packages)
    .where(eq(packages.id, sql.placeholder('id')))
    .prepare(),
}))

/** The package's isolation of the account's processes. */
const isolationOf = (db: Db, { package_id }: FullAccount): Isolation =>
  queries(db).isolation.get({ id: package_id })?.isolation ?? {}

/** PHP-FPM allocates memory for each possible process in advance. */
const MAX_PHP_CHILDREN = 1000

/** The smaller of the account's and its package's limit. */
export function phpChildren(db: Db, account: FullAccount): number | undefined {
  const limits = [account.php_max_children, isolationOf(db, account).ep].filter((limit) => typeof limit === 'number')
  return limits.length > 0 ? Math.min(...limits, MAX_PHP_CHILDREN) : undefined
}

function limits(db: Db, account: FullAccount): HostParts['limits'] {
  const { cpu_pct, mem_mb, nproc, io_mbps, iops } = isolationOf(db, account)
  return {
    diskMb: account.disk_quota_mb ?? undefined,
    inodes: account.inodes_limit ?? undefined,
    bandwidthMb: account.bw_limit_mb ?? undefined,
    phpChildren: phpChildren(db, account),
    emailsPerHour: account.max_email_per_hour ?? undefined,
    cpuPercent: cpu_pct,
    memoryMb: mem_mb,
    processes: nproc,
    ioMbps: io_mbps,
    iops,
  }
}

/** The host state from the account's row and its package. */
export const accountHost = {
  limits,
} satisfies AccountPart['host']
