import { CliError, usage } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { createClient } from '../request/client.ts'
import { sessionPath } from '../request/session.ts'
import { chooseTarget } from '../target/choose.ts'
import { contextCalled } from '../target/contexts/name.ts'
import { removeContext } from '../target/contexts/save.ts'
import type { Context, ServerTarget } from '../target/target.ts'
import { note } from '../terminal.ts'

/** Ends the session at the server and deletes the context with its secrets. */
export async function run(invocation: Invocation): Promise<void> {
  const [named] = invocation.positionals
  const target = chooseTarget({ ...invocation.globals, ...(named !== undefined && { context: named }) })
  const { context: name } = target
  if (name === undefined)
    throw usage(
      `there is no saved server to sign out of: the server was chosen by ${target.source}`,
      `panel logout <context>`,
    )
  const { session, token } = contextCalled(name)
  if (session) await endAtServer(target, session, invocation.globals.debug)
  await removeContext(name)
  if (!invocation.globals.quiet) note(`Signed out of ${target.label}. The context ${name} was removed.`)
  if (token) note('The token is still valid; to end it: panel tokens revoke')
}

/** An unreachable server, or an ended session, does not prevent signing out here. */
async function endAtServer(
  target: ServerTarget,
  { panel }: NonNullable<Context['session']>,
  debug: boolean,
): Promise<void> {
  const request = { method: 'POST', path: sessionPath(panel, 'logout') }
  await createClient(target, { debug })
    .call(request)
    .catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error
      if (error.problem.status !== 401 && error.problem.status !== 403)
        note(`warning: the session could not be ended on the server (${error.problem.title}); it will expire by itself`)
    })
}
