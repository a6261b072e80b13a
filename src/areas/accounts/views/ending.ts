import { count, megabytes } from '../../../web/kit/format.ts'
import type { Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

const kinds = [
  ['email_accounts', '1 mailbox', '{count} mailboxes'],
  ['databases', '1 database', '{count} databases'],
  ['ftp_accounts', '1 FTP account', '{count} FTP accounts'],
  ['addon_domains', '1 addon domain', '{count} addon domains'],
  ['sub_domains', '1 subdomain', '{count} subdomains'],
  ['parked_domains', '1 parked domain', '{count} parked domains'],
] as const

/** What an account takes along when it ends, with how much of it there is. */
export function ending({ also }: Visit): readonly string[] {
  const usage = also['usage']
  const all = t('Its files, databases, mailboxes and domains are removed from this server.')
  if (!usage) return [all]
  const counted = kinds.flatMap(([name, one, many]) => {
    const { used } = usage[name]
    return used === 0 ? [] : [used === 1 ? t(one) : t(many, { count: count(used) })]
  })
  return [[...counted, megabytes(usage.disk_mb.used)].join(', '), all]
}
