import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { minute } from '../../shared/time.ts'
import { setNode } from './link/record.ts'
import type { NodeRow } from './tables.ts'

type NodeIdName = Pick<NodeRow, 'id' | 'name'>

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** A node was retired: its link ends, and it is asked nothing more. */
    nodeRetired: [node: NodeIdName]
    /** A retired node may join again. */
    nodeReinstated: [node: NodeIdName]
  }
}

export const accountsOn = ({ name, accounts }: Pick<NodeRow, 'name' | 'accounts'>): string =>
  `${accounts} ${accounts === 1 ? 'account is' : 'accounts are'} on ${name}`

export const ifLost = ({ name }: Pick<NodeRow, 'name'>): string =>
  `If its machine is lost for good: panel nodes update ${name} --state retired --lost`

/** Until it connects, or is refused. */
export const whyAbsent = ({ name }: Pick<NodeRow, 'name'>): string =>
  `Node ${name} has not connected since the server started.`

export const whyRetired = ({ name }: Pick<NodeRow, 'name'>): string =>
  `Node ${name} was given up: its accounts can only be terminated.`

/** 409 if it answers, since its accounts can be terminated properly, or had no time to connect since startup. */
export function refuseGivingUp({ runtime, now }: Pick<Context, 'runtime' | 'now'>, { name }: NodeRow, started: number) {
  if (runtime.nodes.why(name) === undefined)
    throw new Problem('in-use', `${name} answers, so it is not lost. To shut it out anyway: panel nodes revoke ${name}`)
  const left = Math.ceil((started + minute - now) / 1000)
  if (left > 0 && runtime.nodes.why(name) === whyAbsent({ name }))
    throw new Problem(
      'in-use',
      `The server has just started, and ${name} may not have connected yet. Try again in ${left} s.`,
    )
}

/** Inside the change of its state: a retired node's credentials become invalid. */
export function followRetirement(ctx: Context, { id, name, state }: NodeRow, now: NodeRow['state'] | undefined): void {
  const { signals } = ctx.runtime
  if (now === 'retired') {
    revoke(ctx.runtime, id, ctx.now)
    ctx.afterCommit(() => signals.emit('nodeRetired', { id, name }))
  } else if (state === 'retired') ctx.afterCommit(() => signals.emit('nodeReinstated', { id, name }))
}

/** Inside a change. */
export const revoke = (runtime: Runtime, id: string, now: number): void =>
  setNode(runtime, id, {
    ...{ fingerprint: null, certificate_expires_at: null, join_secret_hash: null, join_expires_at: null },
    // A machine that rejoins may run another version.
    ...{ revoked_at: now, incompatible: null },
  })
