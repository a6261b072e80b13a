import type { AccountCore } from '../account.ts'
import { fields, oneOf, yesOrNo } from '../fields.ts'
import { homeOf } from '../home.ts'
import { part } from '../part.ts'
import { type FileSpec, homeDir, ownerLine, systemDir, systemFile } from '../spec.ts'

export interface MailState {
  readonly routing: 'auto' | 'local' | 'remote' | 'backup'
  readonly spamFilter: boolean
  readonly spamBox: boolean
}

/** The maps that all accounts share; each account has a fragment in `MAP.d`. */
const mailMaps = ['domains', 'relays', 'mailboxes', 'aliases', 'senders', 'nosubmit', 'spam'] as const
type MailMap = (typeof mailMaps)[number]

type Rows = Partial<Record<MailMap, string>>

/** The account's own address, where the host's mail to it goes. */
const ownAddress = ({ username, mainDomain }: AccountCore) => `${username}@${mainDomain}`

function postmaster({ contactEmail, mainDomain }: AccountCore): string | undefined {
  const elsewhere = contactEmail !== '' && !contactEmail.toLowerCase().endsWith(`@${mainDomain}`)
  return elsewhere ? `postmaster@${mainDomain} ${contactEmail}` : undefined
}

function receivedHere(core: AccountCore, { spamFilter, spamBox }: MailState): Rows {
  const { username, mainDomain } = core
  const aliases = postmaster(core)
  return {
    domains: `${mainDomain} ${username}`,
    mailboxes: `${ownAddress(core)} ${mainDomain}/${username}/`,
    ...(aliases ? { aliases } : {}),
    ...(spamFilter ? { spam: `${mainDomain} ${spamBox ? 'box' : 'mark'}` } : {}),
  }
}

function inbound(core: AccountCore, state: MailState): Rows {
  if (state.routing === 'remote') return {}
  if (state.routing === 'backup') return { relays: `${core.mainDomain} ${core.username}` }
  return receivedHere(core, state)
}

function rowsOf(core: AccountCore, state: MailState): Rows {
  const senders = `${ownAddress(core)} ${ownAddress(core)}`
  const nosubmit = core.suspended ? { nosubmit: `${core.username} suspended` } : {}
  return { ...inbound(core, state), senders, ...nosubmit }
}

/** `!` in place of a hash: nobody can sign in, mail is still delivered. */
function passwd(core: AccountCore): FileSpec {
  const { username, mainDomain, uid } = core
  const line = `${username}:!:${uid}:${uid}::/home/${username}/mail/${mainDomain}/${username}::`
  return systemFile(`etc/panel/mail/passwd.d/${mainDomain}`, 0o640, [ownerLine('#', core), line], 'dovecot')
}

const mailDir = (username: string) => `${homeOf(username)}/mail`

/** The account's share of the mail maps. Suspended it still receives, but sends nothing. */
export const mail = part({
  name: 'mail',
  dirs: [
    systemDir('etc/panel/mail', 0o755),
    ...mailMaps.map((map) => systemDir(`etc/panel/mail/${map}.d`, 0o755)),
    systemDir('etc/panel/mail/passwd.d', 0o750, 'dovecot'),
  ],
  check: fields<MailState>(
    { routing: oneOf('auto', 'local', 'remote', 'backup'), spamFilter: yesOrNo, spamBox: yesOrNo },
    'mail',
  ),
  render(core, state) {
    const rows = rowsOf(core, state)
    const maps = mailMaps.filter((map) => rows[map] !== undefined)
    const files = maps.map((map) => systemFile(`etc/panel/mail/${map}.d/${core.username}`, 0o644, [rows[map]!]))
    const dirs = core.suspended ? [] : [homeDir(core, mailDir(core.username), 0o700)]
    return { dirs, files: rows.mailboxes === undefined ? files : [...files, passwd(core)] }
  },
  named: ({ username }, domain) => [`${mailDir(username)}/${domain}`],
})
