import { createHash, randomBytes } from 'node:crypto'
import { and, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import { invalid, overloaded, Problem } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type * as declared from '../../contract/sso.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import { unauthenticated } from '../../runtime/operations/authorize.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { publicUrl } from '../../runtime/settings/server-names.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { isBelow } from '../../shared/safe-redirect.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { isReseller } from '../resellers/store.ts'
import { liveSession } from '../sessions/authenticate.ts'
import { makerMayStill } from '../sessions/link-creator.ts'
import { type Principal, principalOf } from '../sessions/principal.ts'
import { accountNote, actorOf } from '../sessions/sign-in.ts'
import { type Maker, runningSession, startSession } from '../sessions/store.ts'
import { createPhpMyAdminLink, createWebmailLink } from './programs.ts'
import { reachable } from './reachable.ts'
import { type LinkRow, links } from './tables.ts'

/** A page inside the chosen panel. 400 `fields.goto` for anything that could lead out of it. */
function checkGoto(goto: string, panel: PanelName): string {
  const home = `/${panel}/`
  if (isBelow(goto, home)) return goto
  throw invalid(
    'goto',
    `must be a page of the chosen panel: a path below ${home} without \`//\`, \`..\`, backslashes or hidden characters`,
  )
}

const seconds = 60
/** Long enough to read the startup message before opening the link. */
const ROOT_LINK_SECONDS = 15 * 60

const createRootSso: Handler<typeof declared.createRootSso> = {
  handle(ctx, { body }) {
    if (ctx.actor.via !== 'cli' || ctx.actor.session || ctx.actor.token)
      throw new Problem('forbidden', 'Only a user who can open the local socket of the server gets this link.')
    const goto = checkGoto(body.goto ?? '/admin/', 'admin')
    const link = store(ctx, { account_id: null, panel: 'admin', goto, acting: false }, ROOT_LINK_SECONDS)
    ctx.note({ object_id: link.id, after: { panel: 'admin', goto } })
    return { url: link.url, expires_in: ROOT_LINK_SECONDS }
  },
}

const createAccountSso: Handler<typeof declared.createAccountSso> = {
  handle(ctx, { body }) {
    const account = reachable(ctx.found.account)
    const panel = body.panel ?? 'user'
    if (panel === 'admin' && !isReseller(ctx.db, account.id))
      throw invalid('panel', 'is `admin`, but the account is not a reseller; use `user`')
    return create(ctx, account, { panel, goto: checkGoto(body.goto ?? `/${panel}/`, panel), acting: false })
  },
}

const loginAsAccount: Handler<typeof declared.loginAsAccount> = {
  handle: (ctx) => create(ctx, reachable(ctx.found.account), { panel: 'user', goto: '/user/', acting: true }),
}

function create(
  ctx: Context,
  account: FoundAccount,
  { panel, goto, acting }: Pick<LinkRow, 'panel' | 'goto' | 'acting'>,
) {
  const link = store(ctx, { account_id: account.id, panel, goto, acting }, seconds)
  ctx.note({ account, object_id: link.id, after: { panel, goto, acting_as: acting } })
  return { url: link.url, expires_in: seconds }
}

type Opened = Pick<LinkRow, 'account_id' | 'panel' | 'goto' | 'acting'>

/** Keeps the hash of a new link's token; inside a change. */
function store(ctx: Context, opened: Opened, lifetime: number): { id: string; url: string } {
  const token = randomBytes(32).toString('base64url')
  const row: LinkRow = {
    ...opened,
    id: ctx.id(),
    hash: hashOf(token),
    creator_type: isRoot(ctx.actor) ? 'root' : 'reseller',
    creator_id: ctx.actor.id,
    creator_name: ctx.actor.name,
    creator_token_id: ctx.actor.token?.id ?? null,
    creator_session_id: linkSession(ctx),
    created_at: ctx.now,
    expires_at: ctx.now + lifetime * 1000,
    used_at: null,
  }
  ctx.db.delete(links).where(lte(links.expires_at, ctx.now)).run()
  ctx.db.insert(links).values(row).run()
  return { id: row.id, url: `${publicUrl(ctx.runtime)}/user/auth/sso?token=${token}` }
}

/** The creating session, if that came from a link too: they end together. */
function linkSession(ctx: Context): string | null {
  const id = ctx.actor.session?.id
  const made = id === undefined ? null : runningSession(ctx.runtime, id)?.maker_id
  return made ? id! : null
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Redeems a link: one conditional update, so that of concurrent requests exactly one wins. */
const redeemLink: Handler<typeof declared.redeemLink> = {
  handle(ctx, { query }) {
    refuseAhead(ctx)
    const link = take(ctx, query.token)
    const principal = link && principalIn(ctx, link)
    if (!link || !principal || principal.suspended || !makerMayStill(ctx.runtime, makerOf(link), principal))
      throw used()
    begin(ctx, link, principal)
    ctx.header('Location', link.goto)
    return undefined
  },
}

function principalIn({ db }: Context, { panel, account_id }: LinkRow): Principal | undefined {
  if (account_id === null) return principalOf(db, 'admin', 'root', getSetting(db, 'root_id')!)
  return principalOf(db, panel, panel === 'admin' ? 'reseller' : 'account', account_id)
}

/** Prefetches by browsers and mail programs must not use up a link. */
function refuseAhead({ caller }: Context): void {
  const purpose = `${caller?.header('sec-purpose') ?? ''} ${caller?.header('purpose') ?? ''}`
  if (/\bprefetch\b/i.test(purpose)) throw overloaded('A link works once: it is not fetched ahead.')
}

const used = (): Problem => unauthenticated('The link has been used, has expired or does not exist. Ask for a new one.')

const take = (ctx: Context, token: string): LinkRow | undefined =>
  ctx.db
    .update(links)
    .set({ used_at: ctx.now })
    .where(
      and(
        eq(links.hash, hashOf(token)),
        isNull(links.used_at),
        gt(links.expires_at, ctx.now),
        // A clock that was set back does not prolong it.
        sql`${links.expires_at} <= ${ctx.now} + 2 * (${links.expires_at} - ${links.created_at})`,
      ),
    )
    .returning()
    .get()

const makerOf = (link: LinkRow): Maker => ({
  maker_id: link.creator_id,
  maker_token_id: link.creator_token_id,
  maker_session_id: link.creator_session_id,
})

function begin(ctx: Context, link: LinkRow, principal: Principal): void {
  const actingAs = link.acting ? { actingAs: { id: link.creator_id, name: link.creator_name } } : {}
  const { panel } = link
  const switched = isAnother(ctx, panel, principal)
  if (switched) ctx.header('Clear-Site-Data', '"cache", "storage"')
  const { row } = startSession(ctx, { panel, principal, via: 'sso', maker: makerOf(link), switched, ...actingAs })
  const actor = { ...actorOf(ctx, principal), via: 'sso' as const }
  ctx.note({
    actor: link.acting ? { ...actor, session: { id: row.id, panel: link.panel, ...actingAs } } : actor,
    ...accountNote(principal),
    object_id: link.id,
    after: { session: row.id, created_by: link.creator_name },
  })
}

/** Whether the browser was signed in as someone else: its pages then show who acts now. */
function isAnother(ctx: Context, panel: LinkRow['panel'], { id }: Principal): boolean {
  const live = ctx.caller && liveSession(ctx.runtime, ctx.caller, panel)
  return live !== undefined && !live.row.mfa_pending && live.principal.id !== id
}

export const ssoOperations = {
  createAccountSso,
  createRootSso,
  loginAsAccount,
  createPhpMyAdminLink,
  createWebmailLink,
  redeemLink,
}
