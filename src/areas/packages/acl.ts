import type { Privilege } from '../../contract/common.ts'
import { Problem } from '../../contract/problem.ts'
import { type Actor, holds } from '../../runtime/actor.ts'
import type { PackageRow } from './tables.ts'

/** What a package may not hold without a privilege, under the field that says so. */
const rules: readonly { field: keyof PackageRow; privilege: Privilege; beyond(plan: PackageRow): boolean }[] = [
  { field: 'dedicated_ip', privilege: 'add-pkg-ip', beyond: (plan) => plan.dedicated_ip },
  { field: 'shell', privilege: 'add-pkg-shell', beyond: (plan) => plan.shell !== '/usr/sbin/nologin' },
  { field: 'disk_quota_mb', privilege: 'allow-unlimited-disk-pkgs', beyond: (plan) => plan.disk_quota_mb === null },
  { field: 'bw_limit_mb', privilege: 'allow-unlimited-bw-pkgs', beyond: (plan) => plan.bw_limit_mb === null },
  { field: 'max_addon', privilege: 'allow-addoncreate', beyond: (plan) => plan.max_addon !== 0 },
  { field: 'max_parked', privilege: 'allow-parkedcreate', beyond: (plan) => plan.max_parked !== 0 },
  {
    field: 'max_email_per_hour',
    privilege: 'allow-emaillimits-pkgs',
    beyond: (plan) => plan.max_email_per_hour !== null,
  },
]

const unlimited = ['disk_quota_mb', 'bw_limit_mb']

/** 400 naming each field that the actor's ACL does not allow in a package. */
export function refuseBeyondAcl(actor: Actor, plan: PackageRow): void {
  const broken = rules.filter(
    (rule) => rule.beyond(plan) && !holds(actor, rule.privilege) && !waived(actor, rule.field),
  )
  if (broken.length === 0) return
  const fields = Object.fromEntries(broken.map((rule) => [rule.field, `needs the privilege ${rule.privilege}`]))
  throw new Problem(
    'validation',
    `This package goes beyond your privileges: ${Object.keys(fields).join(', ')}.`,
    fields,
  )
}

const waived = (actor: Actor, field: string): boolean =>
  unlimited.includes(field) && holds(actor, 'allow-unlimited-pkgs')
