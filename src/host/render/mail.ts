import type { AccountState } from '../driver.ts'
import { type DirSpec, type FileSpec, ownerLine, type Rendered, systemDir, systemFile } from './spec.ts'

/** The maps that all accounts share; each account has a fragment in `MAP.d`. */
export const mailMaps = ['domains', 'relays', 'mailboxes', 'aliases', 'senders', 'nosubmit', 'spam'] as const
export type MailMap = (typeof mailMaps)[number]

type Rows = Partial<Record<MailMap, string>>

/** The account's own address, where the host's mail to it goes. */
const ownAddress = ({ username, mainDomain }: AccountState) => `${username}@${mainDomain}`

function postmaster({ contactEmail, mainDomain }: AccountState): string | undefined {
  const elsewhere = contactEmail !== '' && !contactEmail.toLowerCase().endsWith(`@${mainDomain}`)
  return elsewhere ? `postmaster@${mainDomain} ${contactEmail}` : undefined
}

function receivedHere(account: AccountState): Rows {
  const { username, mainDomain, spamFilter, spamBox } = account
  const aliases = postmaster(account)
  return {
    domains: `${mainDomain} ${username}`,
    mailboxes: `${ownAddress(account)} ${mainDomain}/${username}/`,
    ...(aliases ? { aliases } : {}),
    ...(spamFilter ? { spam: `${mainDomain} ${spamBox ? 'box' : 'mark'}` } : {}),
  }
}

function inbound(account: AccountState): Rows {
  if (account.mailRouting === 'remote') return {}
  if (account.mailRouting === 'backup') return { relays: `${account.mainDomain} ${account.username}` }
  return receivedHere(account)
}

function rows(account: AccountState): Rows {
  const senders = `${ownAddress(account)} ${ownAddress(account)}`
  const nosubmit = account.suspended ? { nosubmit: `${account.username} suspended` } : {}
  return { ...inbound(account), senders, ...nosubmit }
}

/** `!` for a hash: nobody can sign in, but what arrives is delivered. */
function passwd(account: AccountState): FileSpec {
  const { username, mainDomain, uid } = account
  const line = `${username}:!:${uid}:${uid}::/home/${username}/mail/${mainDomain}/${username}::`
  return systemFile(`etc/panel/mail/passwd.d/${mainDomain}`, 0o640, [ownerLine('#', account), line], 'dovecot')
}

/** The account's share of the mail maps. Suspended it still receives, but sends nothing. */
export function renderMail(account: AccountState): Rendered {
  const own = rows(account)
  const maps = mailMaps.filter((map) => own[map] !== undefined)
  const files = maps.map((map) => systemFile(`etc/panel/mail/${map}.d/${account.username}`, 0o644, [own[map]!]))
  return { dirs: [], files: own.mailboxes === undefined ? files : [...files, passwd(account)] }
}

export const mailDirs: readonly DirSpec[] = [
  systemDir('etc/panel/mail', 0o755),
  ...mailMaps.map((map) => systemDir(`etc/panel/mail/${map}.d`, 0o755)),
  systemDir('etc/panel/mail/passwd.d', 0o750, 'dovecot'),
]
