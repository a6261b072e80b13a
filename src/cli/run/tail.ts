import { interrupted } from '../errors.ts'
import { printObject } from '../output/print.ts'
import { pause } from '../request/client.ts'
import { data, note, oneLine, outputClosed, taken } from '../terminal.ts'
import type { CommandCall } from './execute.ts'

interface TailPage {
  readonly items: readonly { readonly text: string }[]
  readonly next: string
  readonly gap?: true
}

const period = 1000

/** Prints the end of a log and, with `--follow`, new lines until Ctrl-C. */
export async function executeTail({ client, request, invocation, view }: CommandCall): Promise<void> {
  const follows = invocation.option('follow') === true
  if (!follows && view.output !== 'table') return printObject(view, (await client.call(request)).body)
  const stopped = new AbortController()
  const stop = (): void => stopped.abort()
  if (follows) process.once('SIGINT', stop)
  let query = request.query
  while (!stopped.signal.aborted && !outputClosed()) {
    const page = (await client.call({ ...request, ...(query && { query }) })).body as TailPage
    if (page.gap) note('lines between these are gone: the log was rotated')
    data(page.items.map(({ text }) => `${oneLine(text)}\n`).join(''))
    await taken()
    if (!follows) return
    query = { ...query, cursor: page.next }
    if (page.items.length === 0) await pause(period, stopped.signal)
  }
  process.off('SIGINT', stop)
  if (stopped.signal.aborted) throw interrupted()
}
