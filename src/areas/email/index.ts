import type { Area } from '../../runtime/areas/area.ts'
import { usesOf } from './address-counts.ts'
import { backup } from './backup.ts'
import { dkimOperations } from './dkim/operations.ts'
import { recordsIn, withdrawAll } from './dkim/records.ts'
import { beginSigning, prepareKeys } from './dkim/upkeep.ts'
import { deliverySettings } from './dns/delivery.ts'
import { dnsOperations } from './dns/operations.ts'
import { emailDomainOperations, findMail } from './domains/operations.ts'
import { appliesMail, followVerification, takesMail } from './domains/routing.ts'
import { beginMail } from './domains/store.ts'
import type { Mail } from './domains/view.ts'
import { emptyMail } from './emptied.ts'
import { forwarderOperations } from './forwarders/operations.ts'
import { forwardersOf } from './forwarders/store.ts'
import { mailHost } from './host.ts'
import { emailJobs } from './jobs.ts'
import { forwardersByName, mailboxesByName } from './lookup.ts'
import { LoopWatch, signalRoutes } from './loops/watch.ts'
import { autoresponderOperations } from './mailboxes/autoresponder.ts'
import { filterOperations } from './mailboxes/filters.ts'
import { mailboxOperations } from './mailboxes/operations.ts'
import { mailboxesOf } from './mailboxes/store.ts'
import { keepMail } from './measured.ts'
import { followName } from './move.ts'
import { mtaStsOperations } from './mta-sts/operations.ts'
import { mailPolicy } from './mta-sts/policy.ts'
import { policiesIn, policyDeleted } from './mta-sts/records.ts'
import { beginPolicies, followExchangers, markStale } from './mta-sts/upkeep.ts'
import { mailNotices } from './notices.ts'
import { queueChanges } from './queue/change.ts'
import { listMailQueue, listMailQueueForAccount } from './queue/list.ts'
import { beginRelayChecks } from './relay/check.ts'
import { domainRelayOperations } from './relay/operations.ts'
import { mailboxSearch } from './search.ts'
import { spamOperations } from './spam-operations.ts'
import { stored } from './stored.ts'
import type { ForwarderRow, MailboxRow } from './tables.ts'
import { traceOperations, traceSettings } from './trace.ts'

declare module '../../runtime/operations/found.ts' {
  interface FoundObjects {
    '/accounts/{id}/email/accounts/{mid}': { mailbox: MailboxRow }
    '/accounts/{id}/email/forwarders/{fid}': { forwarder: ForwarderRow }
    '/accounts/{id}/email/domains/{did}': { mail: Mail }
  }
}

export const email = {
  name: 'email',
  settings: { ...traceSettings, ...deliverySettings },
  screens: () => import('./screens.tsx').then(({ screens }) => screens),
  handlers: {
    ...mailboxOperations,
    ...autoresponderOperations,
    ...filterOperations,
    ...forwarderOperations,
    ...emailDomainOperations,
    ...dkimOperations,
    ...dnsOperations,
    ...mtaStsOperations,
    ...domainRelayOperations,
    ...spamOperations,
    ...queueChanges,
    listMailQueue,
    listMailQueueForAccount,
    ...traceOperations,
  },
  lookup: { mailbox: mailboxesByName, forwarder: forwardersByName },
  finders: {
    '/accounts/{id}/email/accounts/{mid}': (ctx, { id, mid }) => ({ mailbox: mailboxesOf.find(ctx, id, mid) }),
    '/accounts/{id}/email/forwarders/{fid}': (ctx, { id, fid }) => ({ forwarder: forwardersOf.find(ctx, id, fid) }),
    '/accounts/{id}/email/domains/{did}': (ctx, { id, did }) => ({ mail: findMail(ctx, id, did) }),
  },
  jobs: (runtime, { host, lookups, outgoing }) => emailJobs({ runtime, client: host }, lookups, outgoing),
  ofAccount: {
    counts: { email_accounts: mailboxesOf.count },
    host: { mail: mailHost },
    searched: mailboxSearch,
    prepare: prepareKeys,
    measured: keepMail,
    notices: mailNotices,
    backup,
  },
  ofDomain: {
    created: beginMail,
    changed: (ctx, before, after) => {
      followName(ctx, before, after)
      markStale(ctx, after)
    },
    uses: usesOf,
    deleted: (ctx, domain) => {
      withdrawAll(ctx, domain)
      policyDeleted(ctx, domain)
    },
    verified: followVerification,
    takesMail,
    mailPolicy,
    emptied: emptyMail,
  },
  ofZone: {
    records: (db, zone) => [...recordsIn(db, zone), ...policiesIn(db, zone)],
    applies: (ctx, zone) => {
      followExchangers(ctx, zone)
      return appliesMail(ctx, zone)
    },
  },
  onJob: signalRoutes,
  onEvent: signalRoutes,
  start(runtime, { outgoing }) {
    const [signing, policies, loops] = [beginSigning(runtime), beginPolicies(runtime), new LoopWatch(runtime)]
    const relays = beginRelayChecks(runtime, outgoing)
    return {
      hold: () => loops.hold(),
      stop: async () => void (await Promise.all([signing.stop(), policies.stop(), relays.stop(), loops.stop()])),
    }
  },
  stored,
} satisfies Area
