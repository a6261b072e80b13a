import { type CliError, usage } from './errors.ts'
import { inputOf } from './input/collect.ts'
import { type Invocation, operationFor } from './invocation.ts'
import { at } from './output/cells.ts'
import { checkColumns } from './output/columns.ts'
import { printDocument, printItems, printTable } from './output/print.ts'
import { type Reported, report } from './output/report.ts'
import { type Client, createClient } from './request/client.ts'
import { gather, mostItems, noteRest } from './request/list.ts'
import { plan, requestOf } from './run.ts'
import type { Operation } from './table.ts'
import { chooseTarget } from './target/choose.ts'
import { contextCalled, localName } from './target/contexts/name.ts'
import { neverAsk } from './terminal.ts'

/** What one server has to say. */
interface Part {
  readonly items: readonly unknown[]
  readonly total?: number | undefined
}

type Read = (client: Client) => Promise<Part>

/** Runs a command that only reads on several servers side by side. What fails on one does not hide the others. */
export async function runOnMany(invocation: Invocation, names: readonly string[], how: Reported): Promise<void> {
  const { read, print } = readerFor(invocation)
  for (const name of names) if (name !== localName) contextCalled(name, '--context')
  neverAsk()
  const outcomes = await Promise.all(names.map((name) => outcomeOf(invocation, name, read)))
  const parts = outcomes.flatMap((outcome) => ('part' in outcome ? [outcome] : []))
  if (parts.length > 0) await print(parts.flatMap(({ name, part }) => withServer(name, part.items)))
  noteRest(invocation, summed(parts.map(({ part }) => part)))
  await reportAll(
    outcomes.flatMap((outcome) => ('error' in outcome ? [outcome] : [])),
    how,
  )
}

type Outcome = { readonly name: string } & ({ readonly part: Part } | { readonly error: unknown })

async function outcomeOf({ globals }: Invocation, name: string, read: Read): Promise<Outcome> {
  try {
    const client = createClient(chooseTarget({ ...globals, context: name }), { debug: globals.debug })
    return { name, part: await read(client) }
  } catch (error) {
    return { name, error }
  }
}

const withServer = (server: string, items: readonly unknown[]): object[] =>
  items.map((item) => Object.assign({ server }, typeof item === 'object' ? item : { value: item }, { server }))

const summed = (parts: readonly Part[]): { shown: number; total: number | undefined } => ({
  shown: parts.reduce((sum, { items }) => sum + items.length, 0),
  total: parts.some(({ total }) => total === undefined)
    ? undefined
    : parts.reduce((sum, { total = 0 }) => sum + total, 0),
})

/** The exit code is the highest. */
async function reportAll(failures: readonly { name: string; error: unknown }[], how: Reported): Promise<void> {
  let worst = 0
  for (const { name, error } of failures) {
    await report(error, { ...how, server: name })
    worst = Math.max(worst, Number(process.exitCode))
  }
  if (failures.length > 0) process.exitCode = worst
}

interface Reader {
  readonly read: Read
  print(rows: readonly object[]): Promise<void>
}

function readerFor(invocation: Invocation): Reader {
  if (invocation.command.own === 'whoami') return whoamiReader(invocation)
  if (invocation.command.own) throw oneAtATime(invocation)
  const operation = operationFor(invocation)
  if (operation.method !== 'GET') throw oneAtATime(invocation)
  checkColumns(invocation, operation)
  return operationReader(invocation, operation)
}

const oneAtATime = ({ command }: Invocation): CliError =>
  usage(`panel ${command.words.join(' ')} works on one server at a time`, 'name one with --context')

function operationReader(invocation: Invocation, operation: Operation): Reader {
  const read: Read = async (client) => {
    const request = requestOf(invocation, operation, await inputOf(invocation, operation, client))
    if (invocation.option('dry-run')) return { items: [plan(request)] }
    if (operation.list) return gather(operation, client, request, mostItems(invocation))
    const { body } = await client.call(request)
    return { items: [forTable(invocation) && operation.show ? at(body, operation.show) : body] }
  }
  const print = (rows: readonly object[]): Promise<void> =>
    invocation.option('dry-run') ? printDocument(invocation, rows) : printItems(invocation, operation, rows, true)
  return { read, print }
}

const forTable = ({ globals, option }: Invocation): boolean =>
  (globals.quiet || globals.output === 'table' || globals.output === 'name') && option('select') === undefined

function whoamiReader(invocation: Invocation): Reader {
  const columns = ['server', 'user', 'kind', 'address', 'signed_in_by'].map((field) => ({ field }))
  return {
    read: async (client) => {
      const { identityOf } = await import('./commands/whoami.ts')
      return { items: [await identityOf(client)] }
    },
    print: (rows) => printTable(invocation, columns, rows as Record<string, unknown>[]),
  }
}
