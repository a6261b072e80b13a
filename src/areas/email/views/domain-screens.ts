import type { Screen } from '../../../web/kit/screen.ts'
import { domainPage } from './domain.tsx'

const saved = (done: string, title: string) => ({ done, title, label: 'Save' })

/** What holds for all mail of a domain, and of an account. */
export const domainScreens: readonly Screen[] = [
  {
    path: '/email/domains',
    title: 'Mail domains',
    one: 'domain',
    shows: 'listEmailDomains',
    find: ['dkim', 'spf', 'dmarc', 'catch-all', 'routing'],
    to: '/email/domains/{name}',
    empty: 'Every domain can have mail.',
  },
  {
    path: '/email/domains/{domain}',
    title: 'Mail domain',
    one: 'domain',
    name: 'name',
    shows: 'getEmailDomain',
    view: domainPage,
    also: { dns: { run: 'getEmailDns' } },
    acts: {
      setCatchAll: saved('Catch-all changed.', 'Catch-all'),
      setMailRouting: saved('Mail routing changed.', 'Where its mail goes'),
      setDkim: saved('DKIM changed.', 'DKIM'),
      rotateDkim: { done: 'The domain signs with a new key.', label: 'New DKIM key' },
      checkEmailDns: { done: 'The records are being checked.', label: 'Check the records' },
    },
  },
  {
    path: '/email/spam',
    title: 'Spam',
    shows: 'getSpamSettings',
    acts: {
      setSpamFilter: saved('Spam filter changed.', 'Spam filter'),
      setSpamBox: saved('Spam folder changed.', 'Spam folder'),
    },
    also: { usage: { run: 'getEmailUsage', title: 'Sent this hour' } },
  },
]
