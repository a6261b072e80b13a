import type { AccountCore } from '../../account.ts'
import type { MachineFacts } from '../../facts.ts'
import { type FileSpec, ownerLine, systemFile } from '../../spec.ts'
import { pathOfScript } from './sieve.ts'
import type { Mailbox, MailDomain } from './state.ts'

type Login = Pick<Mailbox, 'local' | 'hash'> & Partial<Mailbox>

/** `!` alone for a hash: no password fits. */
const locked = '!'

/** The address that every account has, without a password. */
const own = ({ username }: AccountCore): Login => ({ local: username, hash: locked })

/** Debian 12's words are there with 13's too: what each version does not know, it ignores. */
function extras(core: AccountCore, { id, quotaMb, away }: Login, { dovecot }: MachineFacts): string {
  const script = id !== undefined && away && !core.suspended ? `/${pathOfScript(core, id)}` : undefined
  const isNew = dovecot === '2.4'
  const all = [
    quotaMb !== undefined && `userdb_quota_rule=*:storage=${quotaMb}M`,
    quotaMb !== undefined && isNew && `userdb_quota_storage_size=${quotaMb}M`,
    script && `userdb_sieve_before=${script}`,
    script && isNew && `userdb_sieve_script/panel/path=${script}`,
  ]
  return all.filter(Boolean).join(' ')
}

function lineOf(core: AccountCore, domain: string, login: Login, facts: MachineFacts): string {
  const { username, uid, suspended } = core
  const hash = suspended || login.noLogin ? locked : login.hash
  const home = `/home/${username}/mail/${domain}/${login.local}`
  return `${login.local}:${hash}:${uid}:${uid}::${home}::${extras(core, login, facts)}`
}

/** The logins of a domain; undefined if it has none. */
export function passwdFile(core: AccountCore, { domain, mailboxes }: MailDomain, facts: MachineFacts): FileSpec[] {
  const logins = new Map<string, Login>(domain === core.mainDomain ? [[core.username, own(core)]] : [])
  for (const mailbox of mailboxes) if (!mailbox.gone) logins.set(mailbox.local, mailbox)
  if (logins.size === 0) return []
  const sorted = [...logins.values()].toSorted((a, b) => (a.local < b.local ? -1 : 1))
  const lines = [ownerLine('#', core), ...sorted.map((login) => lineOf(core, domain, login, facts))]
  return [systemFile(`etc/panel/mail/passwd.d/${domain}`, 0o640, lines, 'dovecot')]
}
