import type { AccountCore } from '../../contract/account.ts'
import type { MachineFacts } from '../../contract/facts.ts'
import { type DirSpec, type FileSpec, systemDir } from '../spec.ts'
import { filtersScript } from './filters.ts'
import { MailRoutes } from './routes.ts'
import { quoted } from './sieve-text.ts'
import type { Mailbox, MailDomain, MailState, Vacation } from './state.ts'

const scriptsDir = 'etc/panel/mail/sieve.d'
const dirOf = ({ username }: Pick<AccountCore, 'username'>): string => `${scriptsDir}/${username}`

/** The path of a mailbox's script. */
export const pathOfScript = (core: Pick<AccountCore, 'username'>, mailbox: string): string =>
  `${dirOf(core)}/${mailbox}.sieve`

/** The path of the script that files spam or removes its headers. */
export const pathOfSpamScript = (core: Pick<AccountCore, 'username'>, domain: string): string =>
  `${dirOf(core)}/spam-${domain}.sieve`

const dayTest = (relation: 'ge' | 'le', day: string): string =>
  `currentdate :zone "+0000" :value "${relation}" "date" ${quoted(day)}`

function condition({ from, until }: Vacation): string | undefined {
  const tests = [...(from ? [dayTest('ge', from)] : []), ...(until ? [dayTest('le', until)] : [])]
  return tests.length > 1 ? `allof (${tests.join(', ')})` : tests[0]
}

/** What is answered to mail for any of the addresses, and the extensions that it needs. */
function vacationText(addresses: readonly string[], vacation: Vacation): { requires: string[]; body: string } {
  const own = addresses.map(quoted).join(',')
  const action = `vacation :days ${vacation.days} :addresses [${own}] :subject ${quoted(vacation.subject)} ${quoted(vacation.body)};`
  const when = condition(vacation)
  return when
    ? { requires: ['date', 'relational', 'vacation'], body: `if ${when} {\n${action}\n}\n` }
    : { requires: ['vacation'], body: `${action}\n` }
}

/** The script of a mailbox with these addresses: it answers, then it filters. Undefined if there is nothing to do. */
export function mailboxScript(
  addresses: readonly string[],
  { vacation, filters = [] }: Pick<Mailbox, 'vacation' | 'filters'>,
): string | undefined {
  const parts = [
    ...(vacation ? [vacationText(addresses, vacation)] : []),
    ...(filters.length > 0 ? [filtersScript(filters)] : []),
  ]
  if (parts.length === 0) return undefined
  const requires = [...new Set(parts.flatMap((part) => part.requires))].toSorted()
  const required = requires.length > 0 ? `require [${requires.map(quoted).join(',')}];\n` : ''
  return `${required}${parts.map(({ body }) => body).join('')}`
}

/** Files what the filter calls spam. */
const junkScript = (score: number): string =>
  `require ["fileinto","mailbox"];\nif header :contains "X-Spam-Level" "${'*'.repeat(score)}" { fileinto :create "Junk"; stop; }\n`

const judgments = ['X-Spam-Level', 'X-Spam-Status', 'X-Spam']
/** Removes the filter's headers: all mail from outside is scanned, before its recipient is known. */
const unjudgedScript = `require ["editheader"];\n${judgments.map((name) => `deleteheader "${name}";\n`).join('')}`

/** The handling of spam; undefined if it is only marked. */
export function spamScript(
  { spamFilter, spamBox, spamScore }: MailState,
  routing: MailDomain['routing'],
  { checksSpam = false }: MachineFacts,
): string | undefined {
  if (routing !== 'local') return undefined
  if (spamFilter) return spamBox ? junkScript(spamScore) : undefined
  return checksSpam ? unjudgedScript : undefined
}

const script = (path: string, content: string, { uid }: AccountCore): FileSpec => ({
  path,
  content,
  mode: 0o640,
  uid: 'root',
  gid: uid,
})

/** Whether the mailbox has a script. */
export const hasScript = (
  { suspended }: Pick<AccountCore, 'suspended'>,
  { vacation, filters = [], gone = false }: Partial<Mailbox>,
): boolean => !gone && !suspended && (vacation !== undefined || filters.length > 0)

function mailboxFiles(core: AccountCore, { domain, mailboxes }: MailDomain, leading: Leading): FileSpec[] {
  return mailboxes.flatMap((mailbox) => {
    const address = `${mailbox.local}@${domain}`
    const all = [address, ...(leading.get(address) ?? [])]
    const text = hasScript(core, mailbox) ? mailboxScript(all, mailbox) : undefined
    return text === undefined ? [] : [script(pathOfScript(core, mailbox.id), text, core)]
  })
}

type Leading = ReturnType<MailRoutes['leading']>

/** The scripts of an account's mailboxes, readable only by its own uid. */
export function sieveFiles(
  core: AccountCore,
  state: MailState,
  facts: MachineFacts,
): { dirs: DirSpec[]; files: FileSpec[] } {
  const { domains } = state
  const spamFiles = ({ domain, routing }: MailDomain): FileSpec[] => {
    const text = spamScript(state, routing, facts)
    return text === undefined ? [] : [script(pathOfSpamScript(core, domain), text, core)]
  }
  const leading = new MailRoutes(core, domains).leading()
  const files = [...domains.flatMap((domain) => mailboxFiles(core, domain, leading)), ...domains.flatMap(spamFiles)]
  const dir: DirSpec = { path: dirOf(core), mode: 0o750, uid: 'root', gid: core.uid, border: true }
  return { dirs: files.length > 0 ? [dir] : [], files }
}

export const sieveDirs: readonly DirSpec[] = [systemDir(scriptsDir, 0o711)]
