import { settingsPage } from '../../../web/kit/pages/object.tsx'
import type { Screen } from '../../../web/kit/screen.ts'
import { domainPage } from './domain.tsx'

/** What holds for all mail of a domain, and of an account. */
export const domainScreens: readonly Screen[] = [
  {
    path: '/email/domains',
    title: 'Mail domains',
    one: 'domain',
    shows: 'listEmailDomains',
    columns: ['domain', 'effective_routing', 'dkim_enabled', 'verified'],
    find: ['dkim', 'spf', 'dmarc', 'catch-all', 'routing'],
    to: '/email/domains/{name}',
    empty: 'Every domain can receive and send mail: here is where it arrives and how it is signed. Add a domain first.',
  },
  {
    path: '/email/domains/{domain}',
    title: 'Mail domain',
    one: 'domain',
    name: 'domain',
    shows: 'getEmailDomain',
    view: domainPage,
    sections: { dns: { run: 'getEmailDns' }, mta_sts: { run: 'getMtaSts' }, relay: { run: 'getDomainRelay' } },
    acts: {
      setCatchAll: { done: 'Catch-all changed.', title: 'Catch-all', value: ({ catch_all }) => catch_all },
      setMailRouting: { done: 'Mail routing changed.', title: 'Where its mail goes' },
      setDomainRelay: { done: 'SMTP relay changed.', title: 'SMTP relay' },
      deleteDomainRelay: { done: 'SMTP relay removed.', label: 'Remove the SMTP relay' },
      setMtaSts: { done: 'MTA-STS changed.', title: 'Encryption by senders (MTA-STS)' },
      setDkim: { done: 'DKIM changed.', title: 'DKIM', value: ({ dkim_enabled }) => ({ enabled: dkim_enabled }) },
      rotateDkim: { done: 'The domain signs with a new key.', label: 'New DKIM key' },
      checkEmailDns: { done: 'The records are being checked.', label: 'Check the records' },
    },
  },
  {
    path: '/email/spam',
    title: 'Spam',
    shows: 'getSpamSettings',
    view: settingsPage,
    lead: 'Mail that looks like spam is marked, and goes to a separate folder.',
    acts: {
      setSpamFilter: {
        done: 'Spam filter changed.',
        title: 'Spam filter',
        value: ({ filter, score }) => ({ enabled: filter, score }),
      },
      setSpamBox: { done: 'Spam folder changed.', title: 'Spam folder', value: ({ box }) => ({ enabled: box }) },
    },
  },
]
