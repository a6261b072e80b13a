import { domainToUnicode } from 'node:url'
import type { AccountCore } from '../../contract/account.ts'
import type { MachineFacts } from '../../contract/facts.ts'
import { type FileSpec, ownerLine, systemFile } from '../spec.ts'
import { hasScript, pathOfScript, pathOfSpamScript, spamScript } from './sieve.ts'
import type { Mailbox, MailDomain, MailState } from './state.ts'

type Dovecot = MachineFacts['dovecot']
type Login = Pick<Mailbox, 'local' | 'hash'> & Partial<Mailbox>

/** `!` instead of a hash: no password matches. */
const locked = '!'

/** Without a scheme Dovecot takes a hash for the panel's own kind. */
const schemed = (hash: string): string => (hash.startsWith('$6$') || hash === locked ? hash : `{CRYPT}${hash}`)

/** The address that every account has, without a password. */
const own = ({ username }: AccountCore): Login => ({ local: username, hash: locked })

/** Includes the settings of both Debian 12 and 13: each version ignores those of the other. */
function extras(core: AccountCore, login: Login, spam: string | undefined, dovecot: Dovecot): string {
  const { id, quotaMb } = login
  const script = id !== undefined && hasScript(core, login) ? `/${pathOfScript(core, id)}` : undefined
  const scripts = [spam && { name: 'aside', path: spam }, script && { name: 'panel', path: script }].filter(
    (one) => !!one,
  )
  const isNew = dovecot === '2.4'
  const all = [
    quotaMb !== undefined && `userdb_quota_rule=*:storage=${quotaMb}M`,
    quotaMb !== undefined && isNew && `userdb_quota_storage_size=${quotaMb}M`,
    // The first script files spam, so that the second does not reply to it.
    ...scripts.map(({ path }, n) => `userdb_sieve_before${n === 0 ? '' : n + 1}=${path}`),
    ...scripts.map(({ name, path }) => isNew && `userdb_sieve_script/${name}/path=${path}`),
  ]
  return all.filter(Boolean).join(' ')
}

function lineOf(core: AccountCore, domain: string, login: Login, spam: string | undefined, dovecot: Dovecot): string {
  const { username, uid, suspended } = core
  const hash = suspended || login.noLogin ? locked : schemed(login.hash)
  const home = `/home/${username}/mail/${domain}/${login.local}`
  return `${login.local}:${hash}:${uid}:${uid}::${home}::${extras(core, login, spam, dovecot)}`
}

/** The logins of a domain; undefined if it has none. */
export function passwdFile(
  core: AccountCore,
  state: MailState,
  { domain, mailboxes, routing }: MailDomain,
  facts: MachineFacts,
): FileSpec[] {
  const { dovecot } = facts
  const logins = new Map<string, Login>(domain === core.mainDomain ? [[core.username, own(core)]] : [])
  for (const mailbox of mailboxes) if (!mailbox.gone) logins.set(mailbox.local, mailbox)
  if (logins.size === 0) return []
  const sorted = [...logins.values()].toSorted((a, b) => (a.local < b.local ? -1 : 1))
  // On a host without Dovecot nothing reads it.
  const spam = dovecot && spamScript(state, routing, facts) ? `/${pathOfSpamScript(core, domain)}` : undefined
  const lines = [
    ownerLine('#', core),
    ...sorted.flatMap((login) => withNames(login, lineOf(core, domain, login, spam, dovecot))),
  ]
  const named = aliasFile(core, domain, sorted)
  return [systemFile(pathOf(domain), 0o640, lines, 'dovecot'), ...named]
}

/** How Dovecot looks a name up: 2.3 puts `\\` before each apostrophe. */
export const loginNames = (name: string): string[] => [...new Set([name, name.replaceAll("'", "\\'")])]

const withNames = ({ local }: Login, line: string): string[] =>
  loginNames(local).map((name) => name + line.slice(local.length))

const pathOf = (domain: string): string => `etc/panel/mail/passwd.d/${domain}`

/** Of letters, marks and digits: names with symbols, which registries refuse, are looked up in their ASCII form alone. */
const writable = /^[\p{L}\p{M}\p{N}.-]+$/u

/** For people who sign in with the domain as they write it: Dovecot goes on with the ASCII form. */
function aliasFile(core: AccountCore, domain: string, logins: readonly Login[]): FileSpec[] {
  const name = domainToUnicode(domain)
  if (name === domain || !writable.test(name)) return []
  const hashOf = ({ hash, noLogin }: Login) => (core.suspended || noLogin ? locked : schemed(hash))
  const lines = logins.flatMap((login) =>
    withNames(login, `${login.local}:${hashOf(login)}::::::user=${login.local}@${domain}`),
  )
  return [systemFile(pathOf(name), 0o640, [ownerLine('#', core), ...lines], 'dovecot')]
}
