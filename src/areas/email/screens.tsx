import { crud } from '../../web/kit/crud.ts'
import { bytes } from '../../web/kit/format/format.ts'
import { t } from '../../web/kit/i18n/i18n.ts'
import type { Answered, Screen, ViewContext } from '../../web/kit/screen.ts'
import { autoresponder } from './views/autoresponder.tsx'
import { devicesPage, profileFiles } from './views/devices.tsx'
import { domainScreens } from './views/domain-screens.ts'
import { filtersPage, toFilters } from './views/filters.tsx'
import { mailboxPage } from './views/mailbox.tsx'
import { queueScreens } from './views/queue.tsx'
import { traceScreens } from './views/trace.tsx'

const isSuspended = ({ data }: ViewContext): boolean =>
  data.suspended_login || data.suspended_outgoing || data.suspended_incoming

/** What is deleted with a mailbox, and how much. */
const gone = ({ data }: ViewContext): readonly string[] => [
  ...(data.used_bytes > 0 ? [t('{size} of mail', { size: bytes(data.used_bytes) })] : []),
  "Its mail goes to the server's trash and is removed for good later.",
]

export const screens: readonly Screen[] = [
  ...crud('listMailboxes', {
    path: '/email',
    title: 'Mailboxes',
    one: 'mailbox',
    member: 'mailbox',
    name: 'address',
    nav: {
      group: 'mail',
      order: 10,
      count: 'email_accounts',
      beside: ['/email/domains', '/email/queue', '/email/trace', '/email/spam'],
    },
    find: ['email', 'inbox', 'imap', 'pop3', 'webmail', 'autoresponder', 'vacation', 'away', 'holiday'],
    columns: ['address', 'used_bytes', 'quota_mb', 'status'],
    empty: 'A mailbox receives and sends mail at an address of a domain.',
    deletes: gone,
    primary: ['address', 'password', 'quota_mb'],
    acts: {
      createWebmailLink: { done: 'Webmail', label: 'Open webmail', followsLink: true },
      changeMailboxPassword: { done: 'Password changed.', label: 'Change password' },
      suspendMailbox: { done: 'The mailbox is suspended.', label: 'Suspend' },
      unsuspendMailbox: { done: 'The mailbox is no longer suspended.', label: 'Unsuspend', when: isSuspended },
    },
    sections: {
      forwarders: { run: 'listForwarders', query: ({ address }: Answered) => ({ q: address, per_page: '5' }) },
      devices: { run: 'getMailboxClientConfig' },
      filters: { run: 'getMailFilters' },
    },
    views: { one: mailboxPage },
  }),
  {
    path: '/email/{mailbox}/autoresponder',
    title: 'Autoresponder',
    shows: 'getMailbox',
    view: autoresponder,
    sections: { autoresponder: { run: 'getAutoresponder' } },
    acts: {
      setAutoresponder: { done: 'Autoresponder saved.' },
      deleteAutoresponder: { done: 'Autoresponder deleted.', label: 'Delete the autoresponder' },
    },
  },
  {
    path: '/email/{mailbox}/filters',
    title: 'Mail filters',
    shows: 'getMailFilters',
    find: ['filter', 'rule', 'sieve', 'folder'],
    view: filtersPage,
    acts: { setMailFilters: { done: 'Filters saved.', label: 'Save the filter', only: [], toBody: toFilters } },
  },
  {
    path: '/email/{mailbox}/devices',
    title: 'Set up a device',
    shows: 'getMailboxClientConfig',
    view: devicesPage,
    files: profileFiles,
  },
  ...crud('listForwarders', {
    path: '/email/forwarders',
    title: 'Forwarders',
    one: 'forwarder',
    member: 'forwarder',
    name: 'address',
    nav: { group: 'mail', order: 20 },
    find: ['alias', 'forward'],
    empty: 'A forwarder sends what arrives at an address on to others.',
    deletes: ['What arrives at its address is no longer sent on.'],
  }),
  ...domainScreens,
  ...queueScreens,
  ...traceScreens,
]
