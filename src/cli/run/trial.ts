import { askWhether } from '../input/ask.ts'
import { createClient } from '../request/client.ts'
import { canAsk, note } from '../terminal.ts'
import type { CommandCall } from './execute.ts'

/** Has a change stay that is undone otherwise: if it is asked for, or the user says so. */
export async function settleTrial(call: CommandCall, { revert_at }: { readonly revert_at: number }): Promise<void> {
  const { invocation, client, operation } = call
  const seconds = Math.max(0, Math.round((revert_at - Date.now()) / 1000))
  if (invocation.option('confirm') !== true && !(await agreed(client.target.label, seconds))) {
    note(`the change is undone in ${seconds} s unless it is confirmed: panel firewall confirm`)
    return
  }
  // On a new connection: the change must not prevent that one opens.
  await createClient(client.target).call({ method: 'POST', path: operation.trial!, timeout: REPLY_TIMEOUT_MS })
  if (!invocation.globals.quiet) note('confirmed on a new connection: the change stays')
}

const REPLY_TIMEOUT_MS = 10_000

const agreed = async (label: string, seconds: number): Promise<boolean> =>
  canAsk() && askWhether(`Keep the change on ${label}? It is undone in ${seconds} s.`)
