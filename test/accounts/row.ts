import type { z } from 'zod'
import type { FullAccount } from '../../src/areas/accounts/store.ts'
import { type Account, limitNames } from '../../src/contract/accounts.ts'
import { present } from '../../src/runtime/operations/list.ts'

function statusOf(account: FullAccount): z.infer<typeof Account>['status'] {
  if (account.terminating) return 'terminating'
  if (account.importing_since !== null && account.provisioned) return 'importing'
  if (account.suspended_at !== null) return 'suspended'
  return account.provisioned ? 'active' : 'provisioning'
}

/** An account's JSON computed from its row, to check what SQL makes of it. */
export function toAccount(row: FullAccount): z.infer<typeof Account> {
  return {
    id: row.id,
    username: row.username,
    main_domain: row.main_domain,
    status: statusOf(row),
    contact_email: row.contact_email,
    created_at: row.created_at,
    package_id: row.package_id,
    package_name: row.package_name,
    owner_id: row.owner_id,
    owner_name: row.owner_username ?? 'root',
    feature_list_id: row.feature_list_id,
    ip_id: row.ip_id,
    ip_address: row.ip_address,
    ...present({ ip6_id: row.ip6_id, ip6_address: row.ip6_address }),
    home_dir: row.home_dir,
    shell: row.shell,
    theme: row.theme,
    locale: row.locale,
    uid: row.uid,
    ...(row.node !== 'local' && { node: row.node }),
    ...(row.mail_node !== 'local' && { mail_node: row.mail_node }),
    ...(row.database_node !== 'local' && { database_node: row.database_node }),
    cgi: row.cgi,
    is_reseller: row.reseller !== null,
    make_reseller: row.make_reseller,
    bw_exceeded: row.bw_limit_mb !== null && row.bw_used_month_mb > row.bw_limit_mb,
    bw_used_month_mb: row.bw_used_month_mb,
    db_count: row.db_count,
    db_used_bytes: row.db_used_bytes,
    db_prefix: row.db_prefix,
    disk_used_mb: row.disk_used_mb,
    inodes_used: row.inodes_used,
    suspend_locked: row.suspend_locked,
    suspend_reason: row.suspend_reason,
    ...present({ suspended_at: row.suspended_at, suspended_by: row.suspended_by, ...limitsOf(row) }),
  }
}

type Limits = Pick<FullAccount, (typeof limitNames)[number]>

const limitsOf = (row: Limits): Limits => Object.fromEntries(limitNames.map((name) => [name, row[name]])) as Limits
