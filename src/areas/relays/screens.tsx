import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'

export const screens: readonly Screen[] = crud('listSmtpRelays', {
  path: '/smtp-relays',
  title: 'SMTP relays',
  one: 'relay',
  member: 'relay',
  name: 'name',
  find: ['smarthost', 'outgoing mail', 'port 25'],
  columns: ['name', 'host', 'port', 'for', 'status'],
  primary: ['name', 'host', 'port', 'tls', 'username', 'password', 'for', 'for.accounts', 'for.domains'],
  startsFrom: 'All mail of this server',
  presets: [
    { label: 'All mail of this server', fields: { for: 'server', port: '587', tls: 'starttls' } },
    { label: 'Mail of certain accounts', fields: { port: '587', tls: 'starttls' } },
  ],
  empty:
    'Many clouds close port 25, and some receivers trust known senders alone. A relay is a mail server of others that takes the mail of this server, of accounts or of domains.',
  deletes: ['Its mail leaves by the next relay that applies, or directly.'],
  acts: { testSmtpRelay: { done: 'A message is being sent. The job shows what the relay answers.', label: 'Test' } },
})
