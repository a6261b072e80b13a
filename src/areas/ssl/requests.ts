import { createPrivateKey, type KeyObject } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { Input } from '../../contract/operation.ts'
import { Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/ssl.ts'
import { turnOfCaller } from '../../runtime/jobs/shares.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { refuseBeingDeleted } from '../domains/busy.ts'
import { domainById } from '../domains/store.ts'
import { pemOfRequest, signingRequest } from './csr.ts'
import { csrsOf } from './csrs.ts'
import { newKey } from './key.ts'
import { namesToSecure } from './names.ts'
import { domainOf } from './of-domain.ts'
import { purposes, sealKey } from './sealed.ts'
import { type CsrRow, csrs } from './tables.ts'

const MAX_REQUESTS = 20

const toCsr = ({ db }: Pick<Context, 'db'>, row: CsrRow): z.infer<typeof declared.Csr> => ({
  id: row.id,
  domain_id: row.domain_id,
  domain: domainById(db, row.domain_id)!.name,
  names: row.names,
  key_type: row.key_type,
  csr: row.csr,
  created_at: row.created_at,
})

interface Made {
  readonly key: KeyObject
  readonly names: readonly string[]
  readonly csr: string
}

async function make(
  ctx: Context,
  account: Parameters<typeof domainOf>[1],
  body: Input<typeof declared.createCsr>['body'],
) {
  const domain = domainOf(ctx, account, body.domain_id)
  const names = namesToSecure(ctx, domain, body.names)
  const key = body.key_type === 'rsa-2048' ? await newRsaKey(ctx) : await newKey('ec-p256')
  return { key, names, csr: pemOfRequest(await signingRequest(key, names, body)) }
}

/** In the caller's turn, and in a process of low priority: it takes long. */
async function newRsaKey(ctx: Context): Promise<KeyObject> {
  const { privatePem } = await ctx.runtime.rsaKeys.make(turnOfCaller(ctx))
  return createPrivateKey(privatePem)
}

const createCsr: Handler<typeof declared.createCsr, Made> = {
  prepare: (ctx, { body }) => make(ctx, ctx.found.account, body),
  handle(ctx, { body }, { key, names, csr }) {
    const { account } = ctx.found
    const domain = domainOf(ctx, account, body.domain_id)
    refuseBeingDeleted(domain)
    if (csrsOf.count(ctx.db, account.id) >= MAX_REQUESTS)
      throw new Problem('too-many', `There are ${MAX_REQUESTS} signing requests already; delete one first.`)
    const row: CsrRow = {
      id: ctx.id(),
      account_id: account.id,
      domain_id: domain.id,
      names: [...names],
      key_type: body.key_type ?? 'ec-p256',
      csr,
      private_key: sealKey(ctx.runtime, purposes.csr, key),
      created_at: ctx.now,
    }
    ctx.db.insert(csrs).values(row).run()
    ctx.note({ account, object_id: row.id, after: { domain: domain.name, names: row.names } })
    return toCsr(ctx, row)
  },
}

const listCsrs: Handler<typeof declared.listCsrs> = {
  handle: (ctx, { params }) => ({ items: csrsOf.all(ctx.db, params.id).map((row) => toCsr(ctx, row)) }),
}

const getCsr: Handler<typeof declared.getCsr> = { handle: (ctx) => toCsr(ctx, ctx.found.csr) }

const deleteCsr: Handler<typeof declared.deleteCsr> = {
  handle(ctx) {
    const { account, csr } = ctx.found
    ctx.db.delete(csrs).where(eq(csrs.id, csr.id)).run()
    ctx.note({ account, object_id: csr.id, before: { names: csr.names } })
    return undefined
  },
}

export const requestOperations = { createCsr, listCsrs, getCsr, deleteCsr }
