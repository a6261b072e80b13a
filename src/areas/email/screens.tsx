import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { autoresponder } from './views/autoresponder.tsx'

export const screens: readonly Screen[] = [
  ...crud('listMailboxes', {
    path: '/email',
    title: 'Mailboxes',
    one: 'mailbox',
    member: 'mailbox',
    name: 'address',
    nav: { group: 'mail', order: 10, count: 'email_accounts', beside: ['/email/domains', '/email/spam'] },
    find: ['email', 'inbox', 'imap', 'pop3', 'webmail', 'autoresponder', 'vacation', 'away', 'holiday'],
    empty: 'A mailbox receives and sends mail at an address of a domain.',
    deletes: ['Its mail goes to the trash of the server and is removed for good later.'],
    acts: {
      createWebmailLink: { done: 'Webmail', label: 'Open webmail', follows: true },
      changeMailboxPassword: { done: 'Password changed.', label: 'Change password' },
      suspendMailbox: { done: 'The mailbox is suspended.', label: 'Suspend' },
      unsuspendMailbox: { done: 'The mailbox is no longer suspended.', label: 'Unsuspend' },
    },
    also: {
      autoresponder: { run: 'getAutoresponder', title: 'Autoresponder', all: '/email/{mailbox}/autoresponder' },
      devices: { run: 'getMailboxClientConfig', title: 'Set up a device', all: '/email/{mailbox}/devices' },
    },
  }),
  {
    path: '/email/{mailbox}/autoresponder',
    of: 'account',
    title: 'Autoresponder',
    shows: 'getMailbox',
    view: autoresponder,
    also: { autoresponder: { run: 'getAutoresponder' } },
    acts: {
      setAutoresponder: { done: 'Autoresponder saved.', label: 'Save' },
      deleteAutoresponder: { done: 'Autoresponder deleted.', label: 'Delete the autoresponder' },
    },
  },
  {
    path: '/email/{mailbox}/devices',
    of: 'account',
    title: 'Set up a device',
    shows: 'getMailboxClientConfig',
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
  {
    path: '/email/domains',
    of: 'account',
    title: 'Mail of domains',
    one: 'domain',
    shows: 'listEmailDomains',
    find: ['dkim', 'spf', 'dmarc', 'catch-all', 'routing'],
    to: '/email/domains/{name}',
    empty: 'Every domain can have mail.',
  },
  {
    path: '/email/domains/{domain}',
    of: 'account',
    title: 'Mail of a domain',
    one: 'domain',
    name: 'name',
    shows: 'getEmailDomain',
    also: { dns: { run: 'getEmailDns', title: 'DNS records that its mail needs' } },
    acts: {
      setCatchAll: { done: 'Catch-all changed.', label: 'Save', title: 'Catch-all' },
      setMailRouting: { done: 'Mail routing changed.', label: 'Save', title: 'Where its mail goes' },
      setDkim: { done: 'DKIM changed.', label: 'Save', title: 'DKIM' },
      rotateDkim: { done: 'The domain signs with a new key.', label: 'New DKIM key' },
      checkEmailDns: { done: 'The records are being checked.', label: 'Check the records' },
    },
  },
  {
    path: '/email/spam',
    of: 'account',
    title: 'Spam',
    shows: 'getSpamSettings',
    acts: {
      setSpamFilter: { done: 'Spam filter changed.', label: 'Save', title: 'Spam filter' },
      setSpamBox: { done: 'Spam folder changed.', label: 'Save', title: 'Spam folder' },
    },
    also: { usage: { run: 'getEmailUsage', title: 'Sent this hour' } },
  },
]
