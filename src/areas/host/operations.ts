import type * as declared from '../../contract/host.ts'
import { Problem } from '../../contract/problem.ts'
import type { Handler } from '../../runtime/run.ts'
import { nameOf } from '../accounts/store.ts'
import { getHostDiff, named } from './diff.ts'
import { hostOf } from './host.ts'
import { type SeenNames, seeNames, shownNames } from './names/seen.ts'
import { countsOf, lookAt, type Seen, shownMachine } from './seen.ts'

/** What was found for a request, until it is answered. */
const found = new WeakMap<object, Seen>()
const foundNames = new WeakMap<object, SeenNames>()

const getHost: Handler<typeof declared.getHost> = {
  wait({ runtime }, { query }, { signal }) {
    const host = hostOf(runtime)
    if (!query.accounts && host.kind !== 'debian') return undefined
    const names = host.kind === 'debian' ? seeNames(runtime).then((seen) => foundNames.set(query, seen)) : undefined
    const looked = lookAt(runtime, host, query.accounts === true, signal()).then((seen) => found.set(query, seen))
    return Promise.all([looked, names]).then(() => {})
  },
  handle({ runtime }, { query }) {
    const { kind, status } = hostOf(runtime)
    const { unknown, machine } = found.get(query) ?? {}
    const names = foundNames.get(query)
    const counts = countsOf(runtime.store.db)
    const trust_tenants = runtime.runsTenantCode && kind === 'directory'
    const shown = { driver: kind, agent: status, counts, trust_tenants }
    return {
      ...shown,
      ...(machine && { machine: shownMachine(machine) }),
      ...(names && shownNames(runtime, names)),
      ...(unknown && { unknown_accounts: unknown.map((one) => ({ ...one })) }),
    }
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

const verifyHost: Handler<typeof declared.verifyHost> = {
  handle(ctx, { body }) {
    const account = named(ctx.db, body.account_id)
    if (account.terminating) throw new Problem('busy', `${account.username} is being terminated.`)
    ctx.note({ account: nameOf(account) })
    return { job_id: ctx.enqueue({ kind: 'host.verify', account: nameOf(account) }) }
  },
}

export const hostOperations = { getHost, getHostDiff, applyHost, verifyHost }
