import type { HostParts } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import type { FullAccount } from '../accounts/store.ts'
import { domainById, servedDomains } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { isVerified } from '../domains/verification/store.ts'
import { hostRelay, relayOfDomain } from '../relays/store.ts'
import { keysOf, selectorOf, unsealed } from './dkim/store.ts'
import { routingOf } from './domains/routing.ts'
import { emailDomainById } from './domains/store.ts'
import { forwardersOf } from './forwarders/store.ts'
import { filtersOf } from './mailboxes/filters.ts'
import { autoresponderOf, mailboxesOf } from './mailboxes/store.ts'
import { usableRelayOf } from './relay/store.ts'
import { scoreOf } from './spam.ts'
import type { AutoresponderRow, EmailDomainRow, EmailKeyRow, ForwarderRow, MailboxRow, MailFilter } from './tables.ts'

type MailPart = HostParts['mail']
type Domain = MailPart['domains'][number]
type Mailbox = Domain['mailboxes'][number]

type HostRuntime = Pick<Runtime, 'hostname' | 'unseal'>

const vacationState = ({
  subject,
  body,
  interval_days,
  starts_on,
  ends_on,
}: AutoresponderRow): Mailbox['vacation'] => ({
  subject,
  body,
  days: interval_days,
  ...(starts_on === null ? {} : { from: starts_on }),
  ...(ends_on === null ? {} : { until: ends_on }),
})

const filterState = ({ match = 'all', stop = false, when, then }: MailFilter) => ({
  match,
  conditions: when,
  actions: then,
  stop,
})

function mailboxState(db: Db, row: MailboxRow): Mailbox {
  const autoresponder = autoresponderOf(db, row.id)
  const filters = filtersOf(db, row.id)
  return {
    id: row.id,
    local: row.local,
    hash: row.hash,
    noLogin: row.suspended_login,
    noIncoming: row.suspended_incoming,
    noOutgoing: row.suspended_outgoing,
    gone: row.status === 'deleting',
    ...(row.quota_mb === null ? {} : { quotaMb: row.quota_mb }),
    ...(row.max_per_hour === null ? {} : { perHour: row.max_per_hour }),
    ...(autoresponder?.enabled ? { vacation: vacationState(autoresponder)! } : {}),
    ...(filters.length > 0 ? { filters: filters.map(filterState) } : {}),
  }
}

const forwarderState = ({ local, destinations, keep_copy }: ForwarderRow): Domain['forwarders'][number] => ({
  local,
  destinations: [...destinations],
  keepCopy: keep_copy,
})

const keyState = (of: HostRuntime, key: EmailKeyRow, dkim: boolean): Domain['dkim'][number] => ({
  selector: selectorOf(key),
  privatePem: unsealed(of, key),
  publicKey: key.public_key,
  signs: dkim && key.retired_at === null,
})

interface Rows {
  readonly mailboxes: readonly MailboxRow[]
  readonly forwarders: readonly ForwarderRow[]
  readonly keys: readonly EmailKeyRow[]
}

function domainState(db: Db, domain: DomainRow, mail: EmailDomainRow, rows: Rows, of: HostRuntime): Domain {
  const ofDomain = <R extends { readonly domain_id: string }>(all: readonly R[]) =>
    all.filter(({ domain_id }) => domain_id === domain.id)
  const verified = isVerified(db, domain)
  const relay = verified ? relayOfDomain(db, domain, usableRelayOf(db, domain.id)) : undefined
  return {
    domain: domain.name,
    routing: routingOf(db, domain, mail, of.hostname),
    ...(verified ? {} : { unverified: true }),
    dkim: ofDomain(rows.keys).map((key) => keyState(of, key, mail.dkim && verified)),
    mailboxes: ofDomain(rows.mailboxes).map((row) => mailboxState(db, row)),
    forwarders: ofDomain(rows.forwarders)
      .filter(({ status }) => status !== 'deleting')
      .map(forwarderState),
    ...(mail.catch_all === null ? {} : { catchAll: mail.catch_all }),
    ...(relay && { relay: hostRelay(of, relay) }),
  }
}

/** Domains that are being deleted with mailboxes, as another account has claimed them: only the trash gets those. */
function claimedDomains(db: Db, mailboxes: readonly MailboxRow[]): Domain[] {
  const ids = [...new Set(mailboxes.map(({ domain_id }) => domain_id))]
  return ids.map((id) => ({
    domain: domainById(db, id)!.name,
    routing: 'remote',
    unverified: true,
    dkim: [],
    mailboxes: mailboxes
      .filter(({ domain_id }) => domain_id === id)
      .map((row) => ({ ...mailboxState(db, row), gone: true })),
    forwarders: [],
  }))
}

/** Until an imported account is activated, its mail goes to the old server, and nothing is sent. */
const notSending = (domain: Domain): Domain => ({
  ...domain,
  routing: 'remote',
  mailboxes: domain.mailboxes.map(({ vacation: _, ...mailbox }) => ({ ...mailbox, noOutgoing: true })),
})

/** The main domain comes first. */
const rank = ({ kind }: DomainRow): number => (kind === 'main' ? 0 : 1)

/** The account's mail for the host's desired state. */
export function mailHost(db: Db, account: FullAccount, runtime: HostRuntime): MailPart {
  const rows = {
    mailboxes: mailboxesOf.all(db, account.id),
    forwarders: forwardersOf.all(db, account.id),
    keys: keysOf(db, account.id),
  }
  const domains = servedDomains(db, account.id).toSorted((a, b) => rank(a) - rank(b))
  const claimed = rows.mailboxes.filter(({ domain_id }) => !domains.some(({ id }) => id === domain_id))
  return {
    spamFilter: account.spam_filter,
    spamBox: account.spam_box,
    spamScore: scoreOf(db, account.id),
    ...(account.importing_since !== null && { noSubmit: true }),
    domains: domains
      .flatMap((domain) => {
        const mail = emailDomainById(db, domain.id)
        const state = mail && domainState(db, domain, mail, rows, runtime)
        return state ? [account.importing_since === null ? state : notSending(state)] : []
      })
      .concat(claimedDomains(db, claimed)),
  }
}
