import { CliError, usage } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { createClient } from '../request/client.ts'
import { chooseTarget } from '../target/choose.ts'
import { contextCalled } from '../target/contexts/name.ts'
import { replaceContext } from '../target/contexts/save.ts'
import type { Context, Target } from '../target/target.ts'
import { note } from '../terminal.ts'
import { sessionPath } from './sign-in/password.ts'

/** Ends the session at the server and forgets what was kept to sign in. The context itself stays. */
export async function run(invocation: Invocation): Promise<void> {
  const [named] = invocation.positionals
  const target = chooseTarget({ ...invocation.globals, ...(named !== undefined && { context: named }) })
  const { context: name } = target
  if (name === undefined)
    throw usage(`no saved server is meant: the server is chosen by ${target.because}`, `panel logout <context>`)
  const { session, token, user: _user, ...rest } = contextCalled(name)
  if (session) await endAtServer(target, session, invocation.globals.debug)
  await replaceContext(name, rest)
  if (!invocation.globals.quiet) note(session || token ? `Signed out of ${target.label}.` : `Not signed in to ${name}.`)
  if (token) note('The token goes on working: panel tokens revoke ends it.')
}

/** A server that is away, or has ended the session already, does not keep anybody signed in here. */
async function endAtServer(target: Target, { panel }: NonNullable<Context['session']>, debug: boolean): Promise<void> {
  const request = { method: 'POST', path: sessionPath(panel, 'logout') }
  await createClient(target, { debug })
    .call(request)
    .catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error
      if (error.problem.status !== 401 && error.problem.status !== 403)
        note(`warning: the session could not be ended at the server (${error.problem.title}); it ends by itself`)
    })
}
