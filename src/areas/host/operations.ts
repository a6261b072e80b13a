import type * as declared from '../../contract/host.ts'
import { Problem } from '../../contract/problem.ts'
import type { Handler } from '../../runtime/run.ts'
import { nameOf } from '../accounts/store.ts'
import { getHostDiff, named } from './diff.ts'
import { hostOf } from './host.ts'

const getHost: Handler<typeof declared.getHost> = {
  handle({ runtime }) {
    const { kind, status } = hostOf(runtime)
    return { driver: kind, agent: status, trust_tenants: runtime.runsTenantCode }
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
