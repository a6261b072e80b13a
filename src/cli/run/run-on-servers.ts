import { type CliError, usage } from '../errors.ts'
import { inputOf } from '../input/collect.ts'
import { type Invocation, operationFor } from '../invocation.ts'
import { at } from '../output/cells.ts'
import { printDocument } from '../output/document.ts'
import { gathered, type ListPage, noteRest, ordered } from '../output/list.ts'
import { printItems, printTable } from '../output/print.ts'
import { type Reported, report } from '../output/report.ts'
import { type View, viewOf, viewWith } from '../output/view.ts'
import { type Client, createClient } from '../request/client.ts'
import { pagesOf } from '../request/list.ts'
import { planOf, requestOf } from '../request/plan.ts'
import type { Operation } from '../table.ts'
import { chooseTarget } from '../target/choose.ts'
import { contextCalled, localName } from '../target/contexts/name.ts'
import { neverAsk } from '../terminal.ts'

/** Reads one server's items. */
type ReadPage = (client: Client) => Promise<ListPage>

/** Runs a read-only command on several servers concurrently. A failure does not hide the others' results. */
export async function runOnMany(invocation: Invocation, names: readonly string[], how: Reported): Promise<void> {
  const { view, read, print } = readerFor(invocation)
  for (const name of names) if (name !== localName) contextCalled(name, '--context')
  neverAsk()
  const outcomes = await Promise.all(names.map((name) => outcomeOf(invocation, name, read)))
  const parts = outcomes.flatMap((outcome) => ('part' in outcome ? [outcome] : []))
  const rows = ordered(
    view,
    parts.flatMap(({ name, part }) => withServer(name, part.items)),
  )
  if (parts.length > 0) await print(rows)
  noteRest(view.limit, { printed: rows.length, total: totalOf(parts.map(({ part }) => part)) })
  await reportAll(
    outcomes.flatMap((outcome) => ('error' in outcome ? [outcome] : [])),
    how,
  )
}

type ServerOutcome = { readonly name: string } & ({ readonly part: ListPage } | { readonly error: unknown })

async function outcomeOf({ globals }: Invocation, name: string, read: ReadPage): Promise<ServerOutcome> {
  try {
    const client = createClient(chooseTarget({ ...globals, context: name }), { debug: globals.debug })
    return { name, part: await read(client) }
  } catch (error) {
    return { name, error }
  }
}

const withServer = (server: string, items: readonly unknown[]): object[] =>
  items.map((item) => Object.assign({ server }, typeof item === 'object' ? item : { value: item }, { server }))

const totalOf = (parts: readonly ListPage[]): number | undefined =>
  parts.some(({ total }) => total === undefined) ? undefined : parts.reduce((sum, { total = 0 }) => sum + total, 0)

/** The highest exit code wins. */
async function reportAll(failures: readonly { name: string; error: unknown }[], how: Reported): Promise<void> {
  let worst = 0
  for (const { name, error } of failures) {
    await report(error, { ...how, server: name })
    worst = Math.max(worst, Number(process.exitCode))
  }
  if (failures.length > 0) process.exitCode = worst
}

interface PageReader {
  readonly view: View
  readonly read: ReadPage
  print(rows: readonly unknown[]): Promise<void>
}

function readerFor(invocation: Invocation): PageReader {
  if (invocation.command.own === 'whoami') return whoamiReader(invocation)
  if (invocation.command.own) throw oneAtATime(invocation)
  if (invocation.option('watch')) throw oneAtATime(invocation)
  const operation = operationFor(invocation)
  if (operation.method !== 'GET') throw oneAtATime(invocation)
  return operationReader(invocation, operation)
}

const oneAtATime = ({ command }: Invocation): CliError =>
  usage(`panel ${command.words.join(' ')} works on one server at a time`, 'name one with --context')

function operationReader(invocation: Invocation, operation: Operation): PageReader {
  const view = viewOf(invocation, operation, true)
  const planned = invocation.option('dry-run')
  const read: ReadPage = async (client) => {
    const request = requestOf(operation, await inputOf(invocation, operation, client))
    if (planned) return { items: [planOf(request)] }
    if (operation.list) return gathered(pagesOf(operation, client, request, view.limit.read))
    const { body } = await client.call(request)
    return { items: [view.part && isForTable(view) ? at(body, view.part) : body] }
  }
  return { view, read, print: (rows) => (planned ? printDocument(view, rows) : printItems(view, rows, true)) }
}

const isForTable = ({ quiet, output, select }: View): boolean =>
  select === undefined && (quiet || output === 'table' || output === 'name')

function whoamiReader(invocation: Invocation): PageReader {
  const columns = ['server', 'user', 'kind', 'address', 'signed_in_by'].map((field) => ({ field }))
  const view = viewWith(invocation, columns)
  return {
    view,
    read: async (client) => {
      const { identityOf } = await import('../commands/whoami.ts')
      return { items: [await identityOf(client)] }
    },
    print: (rows) => printTable(view, rows as Record<string, unknown>[]),
  }
}
