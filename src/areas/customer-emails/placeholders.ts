import type { z } from 'zod'
import type { EmailTemplate, LetterKind } from '../../contract/email-templates.ts'

type Placeholder = z.infer<typeof EmailTemplate>['placeholders'][number]
type Sampled = Omit<Placeholder, 'name'> & { readonly sample: string }

const text = (description: string, sample: string): Sampled => ({ type: 'text', description, sample })
const number = (description: string, sample: string): Sampled => ({ type: 'number', description, sample })

const common = {
  username: text('User name of the account', 'alice'),
  domain: text('Main domain of the account', 'shop.example'),
  server: text('Name of the server', 'host.example'),
  brand: text('Name of the provider', 'Example Hosting'),
  panel_url: { type: 'url', description: 'Address of the panel', sample: 'https://host.example/user' },
} as const satisfies Record<string, Sampled>

const usage = {
  name: text('The account, or the mailbox', 'info@shop.example'),
  used_mb: number('MB that are used', '960'),
  limit_mb: number('MB that are allowed', '1000'),
  percent: number('Used, in percent', '96'),
}
const time = { type: 'time', description: 'When it happened', sample: '2026-11-28 06:30 UTC' } as const

const welcome = {
  imap_host: text('Server of mailboxes, for reading', 'host.example'),
  imap_port: number('Port of IMAP with TLS', '993'),
  smtp_host: text('Server of mailboxes, for sending', 'host.example'),
  smtp_port: number('Port of SMTP with TLS', '465'),
  ftp_host: text('Server of FTP', 'host.example'),
  ftp_port: number('Port of FTP', '21'),
  ssh_host: text('Server of SSH', 'host.example'),
  ssh_port: number('Port of SSH', '22'),
  nameservers: {
    type: 'list',
    description: 'Name servers for the domain',
    sample: 'ns1.host.example\nns2.host.example',
  },
} as const satisfies Record<string, Sampled>

const digest = {
  month: text('The month that it is about', '2026-10'),
  disk_used_mb: number('MB of disk space that are used', '214'),
  disk_limit_mb: text('MB that are allowed, or ∞', '1000'),
  backups: number('Complete backups', '7'),
  last_backup: text('When the newest one was made, or –', '2026-10-31 03:00 UTC'),
  notices: { type: 'list', description: 'What needs attention, or –', sample: 'certificate-failed “shop.example”' },
} as const satisfies Record<string, Sampled>

const failure = { name: text('What it is about', 'shop.example'), reason: text('What is wrong', 'It timed out.') }

const byKind = {
  welcome,
  quota: usage,
  'certificate-failed': failure,
  'backup-failed': failure,
  suspended: { reason: text('Why, or –', 'unpaid'), time },
  unsuspended: { time },
  digest,
} as const satisfies Record<LetterKind, Readonly<Record<string, Sampled>>>

export type CommonValues = Readonly<Record<keyof typeof common, string>>
/** What a cause adds to the common placeholders. */
export type ValuesOf<Kind extends LetterKind> = Readonly<Record<keyof (typeof byKind)[Kind], string>>

const allOf = (kind: LetterKind): Readonly<Record<string, Sampled>> => ({ ...common, ...byKind[kind] })

export const placeholdersOf = (kind: LetterKind): Placeholder[] =>
  Object.entries(allOf(kind)).map(([name, { type, description }]) => ({ name, type, description }))

export const samplesOf = (kind: LetterKind): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(allOf(kind)).map(([name, { sample }]) => [name, sample]))
