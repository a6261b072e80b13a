import type { AccountCore, AccountName } from '../../contract/account.ts'
import { homeOf } from '../../homes/home-paths.ts'
import { part } from '../part.ts'
import { type DirSpec, homeDir, systemDir, systemFile } from '../spec.ts'
import { mailNamesDir } from '../tls.ts'
import { dkimDirs, dkimFiles } from './dkim.ts'
import { linesOf, mailMaps, modeOf, rowsOf } from './maps.ts'
import { passwdFile } from './passwd.ts'
import { sieveDirs, sieveFiles } from './sieve.ts'
import { checkMail, type MailDomain, type MailState } from './state.ts'

export type { MailDomain, MailState } from './state.ts'

const mailDir = (username: string) => `${homeOf(username)}/mail`
const maildir = ({ username }: Pick<AccountName, 'username'>, domain: string, local: string) =>
  `${mailDir(username)}/${domain}/${local}`

/** An account's mail directories, one for each mailbox. */
function homeDirs(core: AccountCore, domains: readonly MailDomain[]): DirSpec[] {
  const paths = domains.flatMap(({ domain, mailboxes }) => {
    const there = mailboxes.filter(({ gone }) => !gone)
    const above = there.length > 0 ? [`${mailDir(core.username)}/${domain}`] : []
    return [...above, ...there.map(({ local }) => maildir(core, domain, local))]
  })
  return [mailDir(core.username), ...paths].map((path) => homeDir(core, path, 0o700))
}

/** The account's share of the mail maps. Suspended, it still receives, but cannot send. */
export const mail = part({
  name: 'mail',
  dirs: [
    systemDir('etc/panel/mail', 0o755),
    ...mailMaps.map((map) => systemDir(`etc/panel/mail/${map}.d`, 0o700)),
    systemDir(mailNamesDir, 0o700),
    systemDir('etc/panel/mail/passwd.d', 0o750, 'dovecot'),
    ...sieveDirs,
    ...dkimDirs,
  ],
  check: checkMail,
  render(core, state, _server, facts) {
    const rows = rowsOf(core, state)
    const maps = mailMaps.filter((map) => rows[map].length > 0)
    const fragments = maps.map((map) =>
      systemFile(`etc/panel/mail/${map}.d/${core.username}`, modeOf(map), linesOf(map, rows[map])),
    )
    const [sieve, dkim] = [sieveFiles(core, state, facts), dkimFiles(core, state.domains)]
    return {
      dirs: [...sieve.dirs, ...dkim.dirs, ...(core.suspended ? [] : homeDirs(core, state.domains))],
      files: [
        ...fragments,
        ...state.domains.flatMap((domain) => passwdFile(core, state, domain, facts)),
        ...sieve.files,
        ...dkim.files,
      ],
    }
  },
  /** Subdomains end in the main domain's name, and are renamed with it. */
  named: ({ username, mainDomain }, domain, { domains }: MailState) =>
    domains
      .filter((one) => one.domain === mainDomain || one.domain.endsWith(`.${mainDomain}`))
      .map((one) => `${mailDir(username)}/${one.domain.slice(0, -mainDomain.length)}${domain}`),
  gone: ({ domains }: MailState) =>
    domains.flatMap(({ domain, mailboxes }) =>
      mailboxes.filter(({ gone }) => gone).map(({ id, local }) => ({ id, path: `mail/${domain}/${local}` })),
    ),
})
