import type { OperationId } from '../../../src/contract/index.ts'

/** A form of a page, with what is typed into it. */
export interface Change {
  readonly base: string
  readonly at: string
  readonly op: OperationId
  readonly typed: Readonly<Record<string, string>>
  /** The path of its row. */
  readonly item?: string
}

const user = (at: string, op: OperationId, typed: Change['typed'] = {}, item?: string): Change => ({
  base: '/user',
  at,
  op,
  typed,
  ...(item !== undefined && { item }),
})
const admin = (at: string, op: OperationId, typed: Change['typed'] = {}): Change => ({
  ...user(at, op, typed),
  base: '/admin',
})

/** Changes in most areas, in an order in which each is possible. */
export const changes: readonly Change[] = [
  user('/email/new', 'createMailbox', { address: 'sales@alice.example', quota_mb: '50', password: 'x' }),
  user('/email/forwarders/new', 'createForwarder', { address: 'to@alice.example', destinations: 'else@other.example' }),
  user('/cron/new', 'createCronJob', { schedule: '@daily', command: `echo "$HOME" 'a;b' \`id\`` }),
  user('/dns/alice.example/new', 'createDnsRecord', { name: 'txt', type: 'TXT', value: 'v=1; "$x" \\ %41' }),
  user('/domains/new', 'createDomain', { name: 'more.example', kind: 'addon' }),
  user('/mysql/new', 'createDatabase', { name: 'shop' }),
  user('/mysql/users/new', 'createDatabaseUser', { name: 'shop', password: 'x' }),
  user('/ftp/new', 'createFtpAccount', { login: 'deploy@alice.example', password: 'x' }),
  user('/webhooks/new', 'createWebhookForAccount', { url: 'https://hooks.example/a?b=c&d=%41', description: "it's" }),
  user('/settings', 'updateAccount', { contact_email: 'alice@other.example' }),
  admin('/accounts/new', 'createAccount', { username: 'dave', domain: 'dave.example', password: 'x' }),
  admin('/packages/new', 'createPackage', { name: 'Two words' }),
  admin('/accounts/bob/settings', 'suspendAccount', { reason: "it's unpaid; rm -rf" }),
  admin('/accounts/bob/settings', 'unsuspendAccount'),
  admin('/accounts/alice/email/new', 'createMailbox', { address: 'second@alice.example', password: 'x' }),
]
