import { and, eq, gt, inArray, isNotNull, isNull, or, type SQL } from 'drizzle-orm'
import type { Output } from '../../contract/operation.ts'
import type { checkSecurity } from '../../contract/security.ts'
import { holds } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { quoted } from '../../shared/command-line/quote.ts'
import { accounts } from '../accounts/tables.ts'
import { endOfLifeNotices } from '../domains/php-notices.ts'
import { domains } from '../domains/tables.ts'
import { resellers } from '../resellers/tables.ts'
import { twoFactorEnabled } from '../sessions/second-factor.ts'
import { certificates } from '../ssl/tables.ts'
import { type TokenRow, tokens } from '../tokens/tables.ts'

export type Found = Output<typeof checkSecurity>['items'][number]

/** One account, or the whole server. */
export interface Scope {
  readonly account?: { readonly id: string; readonly username: string } | undefined
}

const MAX_EACH = 500

/** Users for whom a password alone is enough to sign in: administrators, or the account itself. */
export function missingFactors(ctx: Context, { account }: Scope): Found[] {
  return account ? ofAccount(ctx, account) : ofAdministrators(ctx)
}

function ofAccount(ctx: Context, { id, username }: NonNullable<Scope['account']>): Found[] {
  const password = ctx.db.select({ hash: accounts.password_hash }).from(accounts).where(eq(accounts.id, id)).get()
  if (!password?.hash || twoFactorEnabled(ctx.db, id)) return []
  const detail = 'The password alone is enough to sign in. Add a passkey or an authenticator app under Security.'
  return [
    {
      ...withoutFactor,
      severity: 'warn',
      object: 'account',
      object_id: id,
      name: username,
      detail,
      command: 'panel open me',
    },
  ]
}

const withoutFactor = { check: 'second-factor' } as const

function ofAdministrators({ db }: Context): Found[] {
  const root = getSetting(db, 'root_id')!
  const hasPassword = getSetting(db, 'root_password_hash') !== undefined
  const rows = db
    .select({ id: accounts.id, name: accounts.username })
    .from(resellers)
    .innerJoin(accounts, eq(accounts.id, resellers.account_id))
    .where(isNotNull(accounts.password_hash))
    .limit(MAX_EACH)
    .all()
  return [
    ...(hasPassword ? [{ id: root, name: 'root', object: 'server' as const }] : []),
    ...rows.map((row) => ({ ...row, object: 'reseller' as const })),
  ]
    .filter(({ id }) => !twoFactorEnabled(db, id))
    .map(({ id, name, object }) => ({
      ...{ ...withoutFactor, severity: 'error', object, object_id: id, name },
      detail: 'The password alone is enough to sign in. A second factor can be required of administrators.',
      command: 'panel settings update --two-factor-required admins',
      operation: 'updateSettings',
    }))
}

/** Tokens that work from every address, or never end. */
export function looseTokens({ db, now, actor }: Context, { account }: Scope): Found[] {
  if (actor.type === 'reseller' && !holds(actor, 'manage-api-tokens')) return []
  const among = account ? eq(tokens.account_id, account.id) : eq(tokens.kind, 'admin')
  const lives = or(isNull(tokens.expires_at), gt(tokens.expires_at, now))
  const rows = db.select().from(tokens).where(and(among, lives)).orderBy(tokens.id).limit(MAX_EACH).all()
  return rows.flatMap((token) => [
    ...(token.allowed_ips.length === 0 ? [looseToken('token-address', anywhere, token)] : []),
    ...(token.expires_at === null ? [looseToken('token-expiry', endless, token)] : []),
  ])
}

const anywhere = 'It works from every address. Create another with allowed addresses, and revoke this one.'
const endless = 'It never ends. Create another that expires, and revoke this one.'

const looseToken = (check: Found['check'], detail: string, { id, name, account_id }: TokenRow): Found => ({
  ...{ check, severity: 'warn', object: 'token', object_id: id, name },
  detail,
  command: `panel tokens revoke ${id}${account_id === null ? '' : ` --account ${account_id}`}`,
  operation: account_id === null ? 'revokeToken' : 'revokeTokenForAccount',
})

/** Accounts with a version of PHP that gets no more fixes. */
export const outdatedPhp = (ctx: Context, { account }: Scope): Found[] =>
  endOfLifeNotices(ctx, { account: account?.id, limit: MAX_EACH }).map(({ object_id, name, detail }) => ({
    ...{ check: 'php-version', severity: 'error', object: 'account', object_id, name, detail },
    command: `panel domains list --account ${name}`,
    operation: 'updateDomain',
  }))

/** Sites that visitors reach without encryption. */
export function insecureSites({ db }: Context, { account }: Scope): Found[] {
  const rows = db
    .select({ id: domains.id, name: domains.name, certificate: certificates.id })
    .from(domains)
    .leftJoin(certificates, and(eq(certificates.domain_id, domains.id), isTrusted))
    .where(and(account && eq(domains.account_id, account.id), eq(domains.https_redirect, false), isSite))
    .groupBy(domains.id)
    .limit(MAX_EACH)
    .all()
  return rows.map(({ id, name, certificate }): Found => {
    const site = { check: 'https', severity: 'warn', object: 'domain', object_id: id, name } as const
    return certificate
      ? {
          ...site,
          detail: open,
          command: `panel domains update ${quoted(name)} --https-redirect`,
          operation: 'updateDomain',
        }
      : { ...site, detail: untrusted, command: `panel ssl issue ${quoted(name)}`, operation: 'issueCertificate' }
  })
}

const isTrusted = and(eq(certificates.used, true), eq(certificates.trusted, true))
const isSite: SQL | undefined = and(
  inArray(domains.kind, ['main', 'addon', 'sub']),
  inArray(domains.status, ['active']),
)
const open = 'It has a certificate, and answers without encryption, too: visitors can be sent to https.'
const untrusted = 'It has no certificate that browsers trust, so passwords of visitors can be read on the way.'
