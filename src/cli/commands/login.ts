import { resolve } from 'node:path'
import { inputNeeded, usage } from '../errors.ts'
import { askNeeded } from '../input/ask.ts'
import { refuseAsArgument } from '../input/secrets.ts'
import type { Invocation } from '../invocation.ts'
import { printRecord } from '../output/print.ts'
import { viewWith } from '../output/view.ts'
import { remoteTarget } from '../target/choose.ts'
import { savedContexts } from '../target/contexts/file.ts'
import { checkName, contextCalled, nameFor } from '../target/contexts/name.ts'
import { saveContext } from '../target/contexts/save.ts'
import { warnIfOverridden } from '../target/contexts/shadow.ts'
import type { Context, ServerTarget } from '../target/target.ts'
import { canAsk, note } from '../terminal.ts'
import { publicFields, publicPart } from './context-record.ts'
import { panelOption, sessionAt, signInByPassword } from './sign-in/password.ts'
import { signInByToken, tokenFromOptions } from './sign-in/token.ts'
import { keyToPin } from './sign-in/trust.ts'

/** Signs in to a server and saves it as the current context. The server proves its key before any secret is sent. */
export async function run(invocation: Invocation): Promise<void> {
  for (const option of ['token', 'password']) refuseAsArgument({ option }, invocation.option)
  const { name, known } = await chosen(invocation)
  const target = { ...remoteTarget(known, 'the address'), context: name }
  const pin = await keyToPin(invocation, target)
  const trusted: ServerTarget = { ...target, ...(pin && { pin }) }
  await sessionAt(trusted, panelOption(invocation), invocation.globals.debug)
  const context: Context = {
    url: target.url.href.replace(/\/api\/v1$/, ''),
    ...(known.ca && { ca: known.ca }),
    ...(pin && { pin }),
    ...(await signIn(invocation, trusted)),
  }
  await saveContext(name, context)
  await announce(invocation, name, context)
}

interface Chosen {
  readonly name: string
  readonly known: Pick<Context, 'url' | 'ca' | 'pin'>
}

/** The server by URL, or the saved one whose sign-in is to be renewed. */
async function chosen({ positionals: [url], globals }: Invocation): Promise<Chosen> {
  if (url !== undefined) return atAddress(url, globals.context)
  const name = globals.context ?? (process.env['PANEL_CONTEXT'] || savedContexts().current)
  if (name === undefined) return atAddress(await promptedAddress(), undefined)
  const { url: address, ca, pin } = contextCalled(checkName(name))
  return { name, known: { url: address, ...(ca && { ca }), ...(pin && { pin }) } }
}

function promptedAddress(): Promise<string> {
  if (!canAsk()) throw inputNeeded('Which server?', 'panel login https://host.example:7711')
  return askNeeded('Server (such as https://host.example:7711):')
}

function atAddress(address: string, provided: string | undefined): Chosen {
  const ca = process.env['PANEL_CACERT']
  const { url } = remoteTarget({ url: address }, 'the address')
  const name = checkName(provided ?? nameFor(url))
  const saved = savedContexts().contexts[name]
  if (saved && remoteTarget(saved, name).url.href !== url.href)
    throw usage(
      `the context ${name} belongs to another server: ${saved.url}`,
      `choose another name with --context, or first: panel context remove ${name}`,
    )
  return { name, known: { ...(saved?.pin && { pin: saved.pin }), url: address, ...caOf(saved, ca) } }
}

const caOf = (saved: Context | undefined, provided: string | undefined): Pick<Context, 'ca'> => {
  const ca = provided ? resolve(provided) : saved?.ca
  return ca === undefined ? {} : { ca }
}

async function signIn(invocation: Invocation, target: ServerTarget): Promise<Partial<Context>> {
  const token = await tokenFromOptions(invocation)
  if (token !== undefined) return signInByToken(target, token, invocation.globals.debug)
  return { session: await signInByPassword(invocation, target) }
}

async function announce(invocation: Invocation, name: string, context: Context): Promise<void> {
  const { output, quiet } = invocation.globals
  const { user } = publicPart(name, context, true)
  if (!quiet) note(`Signed in to ${context.url} as ${user}. It is saved as the context ${name}, now the current one.`)
  warnIfOverridden()
  if (output !== 'table' || quiet)
    await printRecord(viewWith(invocation, publicFields), publicPart(name, context, true))
}
