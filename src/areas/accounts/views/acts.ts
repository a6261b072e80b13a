import { count, megabytes } from '../../../web/kit/format/format.ts'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Actions, ViewContext } from '../../../web/kit/screen.ts'

const kinds = [
  ['email_accounts', '1 mailbox', '{count} mailboxes'],
  ['databases', '1 database', '{count} databases'],
  ['ftp_accounts', '1 FTP account', '{count} FTP accounts'],
  ['addon_domains', '1 addon domain', '{count} addon domains'],
  ['sub_domains', '1 subdomain', '{count} subdomains'],
  ['parked_domains', '1 alias domain', '{count} alias domains'],
] as const

/** What is deleted with an account, and what is kept of it. */
const ending = (view: ViewContext): readonly string[] => [...deleted(view), ...retention(view)]

function retention({ sections: { settings } }: ViewContext): readonly string[] {
  if (!settings) return [t('If the server keeps final backups, one is made first.')]
  const { final_backup_days, trash_days } = settings
  const backup =
    final_backup_days === 0
      ? t('No backup is made first: the setting "Final backup kept" is 0.')
      : t('A backup is made first and kept for {count} days.', { count: count(final_backup_days) })
  return [backup, t("Its home stays in the server's trash for {count} days.", { count: count(trash_days) })]
}

/** With counts. */
function deleted({ sections: { usage } }: ViewContext): readonly string[] {
  const all = t('Its files, databases, mailboxes and domains are removed from this server.')
  if (!usage) return [all]
  const counted = kinds.flatMap(([name, one, many]) => {
    const { used } = usage[name]
    return used === 0 ? [] : [used === 1 ? t(one) : t(many, { count: count(used) })]
  })
  return [[...counted, megabytes(usage.disk_mb.used)].join(', '), all]
}

const isSuspended = ({ data }: ViewContext): boolean => data.status === 'suspended'

export const suspend = {
  done: 'Suspended.',
  label: 'Suspend',
  ofRoot: ['lock'],
  undoWith: { op: 'unsuspendAccount' },
} as const
export const unsuspend = { done: 'Unsuspended.', label: 'Unsuspend' }
export const changePackage = { done: 'Package changed.', label: 'Change the package' }

/** What can be done with one account. */
export const manage = {
  updateAccount: {
    done: 'Account changed.',
    value: (data) => ({ ...data, domain: data.main_domain }),
    primary: ['domain', 'contact_email', 'disk_quota_mb', 'bw_limit_mb', 'max_email'],
  },
  changeAccountPackage: { ...changePackage, title: 'Package' },
  changeAccountPassword: { done: 'Password changed.', label: 'Set the password', only: ['new_password'] },
  createAccountSso: { done: 'One-time sign-in link', label: 'Make a sign-in link' },
  suspendAccount: { ...suspend, when: (view) => !isSuspended(view) },
  unsuspendAccount: { ...unsuspend, when: isSuspended },
  terminateAccount: {
    done: 'The account is being terminated.',
    label: 'Terminate the account',
    to: '/jobs',
    confirm: ending,
    omits: ['final_backup'],
  },
} satisfies Actions
