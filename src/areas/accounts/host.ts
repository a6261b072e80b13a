import type { AccountPart } from './part.ts'
import type { FullAccount } from './store.ts'

const php = ({ php_max_children }: FullAccount): number | undefined => php_max_children ?? undefined

/** What the account's own row says to the parts of the host. */
export const accountHost = {
  limits: (_db, account) => ({
    diskMb: account.disk_quota_mb ?? undefined,
    inodes: account.inodes_limit ?? undefined,
    bandwidthMb: account.bw_limit_mb ?? undefined,
    phpChildren: php(account),
    emailsPerHour: account.max_email_per_hour ?? undefined,
  }),
  php: (_db, account) => ({ children: php(account) }),
} satisfies AccountPart['host']
