import { declined, inputNeeded, usage } from '../errors.ts'
import { askWhether } from '../input/ask.ts'
import { again, type Invocation } from '../invocation.ts'
import { printRecord, printTable } from '../output/print.ts'
import { viewWith } from '../output/view.ts'
import { localTarget } from '../target/choose.ts'
import { savedContexts } from '../target/contexts/file.ts'
import { checkName, contextCalled, localName } from '../target/contexts/name.ts'
import { removeContext, renameContext, useContext } from '../target/contexts/save.ts'
import { warnIfOverridden } from '../target/contexts/shadow.ts'
import { canAsk, note } from '../terminal.ts'
import { firstArgument } from './argument.ts'
import { type PublicContext, publicFields, publicPart } from './context-record.ts'

/** `panel context list|use|show|remove`. */
export async function run(invocation: Invocation): Promise<void> {
  const verb = invocation.command.words.at(-1) ?? ''
  await verbs[verb]?.(invocation)
}

const verbs: Readonly<Record<string, (invocation: Invocation) => Promise<void>>> = { list, use, show, rename, remove }

/** The local socket first: it needs no sign-in. */
function everyContext(): PublicContext[] {
  const { current, contexts } = savedContexts()
  const saved = Object.entries(contexts).map(([name, context]) => publicPart(name, context, name === current))
  return [local(current === undefined), ...saved]
}

const local = (current: boolean): PublicContext => ({
  name: localName,
  url: `unix:${localTarget().socket}`,
  current,
  user: 'root',
  signed_in_by: 'socket',
})

const listed = publicFields.filter(({ field }) => field !== 'fingerprint' && field !== 'ca')

async function list(invocation: Invocation): Promise<void> {
  await printTable(viewWith(invocation, listed), everyContext())
}

async function use(invocation: Invocation): Promise<void> {
  const name = firstArgument(invocation)
  if (name !== localName) contextCalled(name)
  await useContext(name === localName ? undefined : name)
  if (!invocation.globals.quiet) note(`${name} is the current context.`)
  warnIfOverridden()
}

async function show(invocation: Invocation): Promise<void> {
  const name = invocation.positionals[0] ?? invocation.globals.context ?? savedContexts().current ?? localName
  if (name !== localName) contextCalled(name)
  const found = everyContext().find((context) => context.name === name)
  if (found) await printRecord(viewWith(invocation, publicFields), found)
}

async function rename(invocation: Invocation): Promise<void> {
  const [name, other] = [firstArgument(invocation), invocation.positionals[1]]
  if (other === undefined) throw inputNeeded('Input is needed', `panel context rename ${name} <name>`)
  contextCalled(name)
  if (Object.hasOwn(savedContexts().contexts, checkName(other)))
    throw usage(`the context ${other} already exists`, `to remove it: panel context remove ${other}`)
  await renameContext(name, other)
  if (!invocation.globals.quiet) note(`The context ${name} is now called ${other}.`)
}

async function remove(invocation: Invocation): Promise<void> {
  const name = firstArgument(invocation)
  if (name === localName) throw usage(`${localName} is the local socket, and cannot be removed`)
  const { url } = contextCalled(name)
  if (!invocation.option('yes')) await ask(invocation, `Remove the context ${name} (${url}), with its sign-in?`)
  await removeContext(name)
  if (!invocation.globals.quiet) note(`The context ${name} was removed.`)
}

async function ask(invocation: Invocation, question: string): Promise<void> {
  if (!canAsk()) throw inputNeeded('A confirmation is needed', `to skip the question: ${again(invocation, '--yes')}`)
  if (!(await askWhether(question))) throw declined()
}
