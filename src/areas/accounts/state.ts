import type { AccountName, AccountState, HostParts } from '../../host/driver.ts'
import type { FullAccount } from './store.ts'

/** Desired state, as a driver is told it. */
export function stateOf(account: FullAccount): AccountState {
  return {
    id: account.id,
    username: account.username,
    formerUsername: account.applied_username ?? undefined,
    uid: account.uid,
    mainDomain: account.main_domain,
    contactEmail: account.contact_email,
    ipAddress: account.ip_address,
    shell: account.shell,
    suspended: account.suspended_at !== null,
    parts: partsOf(account),
  }
}

function partsOf(account: FullAccount): HostParts {
  const phpChildren = account.php_max_children ?? undefined
  return {
    limits: {
      diskMb: account.disk_quota_mb ?? undefined,
      inodes: account.inodes_limit ?? undefined,
      bandwidthMb: account.bw_limit_mb ?? undefined,
      phpChildren,
      emailsPerHour: account.max_email_per_hour ?? undefined,
    },
    php: { children: phpChildren },
    web: { cgi: account.cgi, php: phpChildren !== 0 },
    dns: { serial: account.zone_serial },
    mail: { routing: account.mail_routing, spamFilter: account.spam_filter, spamBox: account.spam_box },
  }
}

/** The account by the name it has on the host now. */
export const hostNameOf = (account: FullAccount): AccountName => ({
  id: account.id,
  username: account.applied_username ?? account.username,
  uid: account.uid,
  mainDomain: account.main_domain,
})
