import type * as declared from '../../contract/host.ts'
import { Problem } from '../../contract/problem.ts'
import type { HeldAccount } from '../../host/client.ts'
import type { Handler } from '../../runtime/run.ts'
import { nameOf } from '../accounts/store.ts'
import { getHostDiff, named } from './diff.ts'
import { hostOf } from './host.ts'
import { unknownOn } from './unknown.ts'

/** What was found for a request, until it is answered. */
const found = new WeakMap<object, readonly HeldAccount[] | undefined>()

const getHost: Handler<typeof declared.getHost> = {
  wait({ runtime }, { query }, { signal }) {
    if (!query.accounts) return undefined
    return unknownOn(runtime, hostOf(runtime), signal()).then((unknown) => void found.set(query, unknown))
  },
  handle({ runtime }, { query }) {
    const { kind, status } = hostOf(runtime)
    const unknown_accounts = found.get(query)?.map((one) => ({ ...one }))
    const shown = { driver: kind, agent: status, trust_tenants: runtime.runsTenantCode }
    return { ...shown, ...(unknown_accounts && { unknown_accounts }) }
  },
}

const applyHost: Handler<typeof declared.applyHost> = {
  handle(ctx, { body }) {
    if (body.account_id === undefined) return { job_id: ctx.enqueue({ kind: 'host.apply' }) }
    const account = named(ctx.db, body.account_id)
    if (account.terminating) throw new Problem('busy', `${account.username} is being terminated.`)
    ctx.note({ account: nameOf(account) })
    return { job_id: ctx.enqueue({ kind: 'host.apply', account: nameOf(account) }) }
  },
}

export const hostOperations = { getHost, getHostDiff, applyHost }
