import { Readable } from 'node:stream'
import type { z } from 'zod'
import type * as declared from '../../../contract/brand.ts'
import { MAX_LOGO_BYTES, type VisibleBrand } from '../../../contract/brand.ts'
import { invalid, notFound } from '../../../contract/problem.ts'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { RawAnswer } from '../../../runtime/operations/host-call.ts'
import type { Handler, HostHandler } from '../../../runtime/operations/run.ts'
import { settingOf } from '../../../runtime/settings/settings.ts'
import { versionedCache } from '../../../store/versioned-cache.ts'
import { imageIn } from './image.ts'
import { brandOf, dropLogo, keepLogo, logoBytes, resellerAt, visibleBrand } from './store.ts'

const rootId = ({ store }: Context): string => settingOf(store, 'root_id')!

/** Cached, since every page needs it. */
const ownBrand = versionedCache(({ db }, owner) => brandOf(db, owner))
const brandFor = versionedCache(({ db }, owner) => visibleBrand(db, owner))

const getBrand: Handler<typeof declared.getBrand> = {
  handle: (ctx) => ownBrand(ctx.store, isRoot(ctx.actor) ? rootId(ctx) : ctx.actor.id)!,
}

const getBrandForAccount: Handler<typeof declared.getBrandForAccount> = {
  handle: ({ store, found }) => brandFor(store, found.account.owner_id)!,
}

function setLogo(ctx: Context, owner: string, bytes: Buffer): z.infer<typeof VisibleBrand> {
  const image =
    bytes.length > MAX_LOGO_BYTES ? `is ${bytes.length} bytes; at most ${MAX_LOGO_BYTES} are allowed` : imageIn(bytes)
  if (typeof image === 'string') throw invalid('logo', image)
  const before = brandOf(ctx.db, owner).logo?.sha256
  keepLogo(ctx.db, owner, image, bytes)
  const after = brandOf(ctx.db, owner)
  ctx.note({ object_id: owner, before: { logo: before ?? null }, after: { logo: after.logo!.sha256 } })
  return after
}

function deleteLogo(ctx: Context, owner: string): undefined {
  const { logo } = brandOf(ctx.db, owner)
  if (!logo) throw notFound('logo')
  dropLogo(ctx.db, owner)
  ctx.note({ object_id: owner, before: { logo: logo.sha256 } })
}

const setBrandLogo: Handler<typeof declared.setBrandLogo> = {
  handle: (ctx, { body }) => setLogo(ctx, ctx.found.reseller.account_id, body),
}

const deleteBrandLogo: Handler<typeof declared.deleteBrandLogo> = {
  handle: (ctx) => deleteLogo(ctx, ctx.found.reseller.account_id),
}

const setServerLogo: Handler<typeof declared.setServerLogo> = {
  handle: (ctx, { body }) => setLogo(ctx, rootId(ctx), body),
}

const deleteServerLogo: Handler<typeof declared.deleteServerLogo> = {
  handle: (ctx) => deleteLogo(ctx, rootId(ctx)),
}

const getSignInBrand: Handler<typeof declared.getSignInBrand> = {
  handle({ db, caller }) {
    const name = (caller?.header('host') ?? '').replace(/:\d*$/, '').toLowerCase()
    const reseller = resellerAt(db, name)
    return reseller === undefined ? {} : brandOf(db, reseller)
  },
}

const getBrandLogo: HostHandler<typeof declared.getBrandLogo> = {
  async act({ db }, { query }) {
    const found = logoBytes(db, query.sha256)
    if (!found) throw notFound('logo')
    const headers = { 'Content-Type': found.type, 'Content-Length': `${found.bytes.length}` }
    return new RawAnswer(200, headers, Readable.from([found.bytes]))
  },
}

export const brandOperations = {
  getSignInBrand,
  getBrandLogo,
  getBrand,
  getBrandForAccount,
  setBrandLogo,
  deleteBrandLogo,
  setServerLogo,
  deleteServerLogo,
}
