import { exit } from '../../shared/exit.ts'
import { CliError, usage } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { grid } from '../output/drawing.ts'
import { gathered, type ListPage } from '../output/list.ts'
import { sorted } from '../output/sort.ts'
import { clockTime } from '../output/time.ts'
import type { View } from '../output/view.ts'
import { pause } from '../request/client.ts'
import { data, isTty, oneLine, outputClosed } from '../terminal.ts'

const period = 2000
/** The line above the table, its headers, and the cursor's line. */
const SURROUNDING_LINES = 3

/** Rejects `--watch` without a terminal before anything is sent. */
export function checkWatch({ output, quiet, select }: View): void {
  if (!isTty()) throw usage('--watch needs a terminal', 'for scripts: panel events tail --output jsonl')
  if (output !== 'table' || quiet || select !== undefined) throw usage('--watch can only show a table')
}

/** Redraws a list until Ctrl-C. Waits for an unreachable server. */
export async function watchList(
  invocation: Invocation,
  view: View,
  read: () => AsyncIterable<ListPage>,
): Promise<void> {
  const stopped = new AbortController()
  process.once('SIGINT', () => stopped.abort())
  const title = `panel ${invocation.words.map(oneLine).join(' ')}`
  while (!stopped.signal.aborted && !outputClosed()) {
    draw(`${clockTime(Date.now())}  ${title}`, await screen(view, read))
    await pause(period, stopped.signal)
  }
  data('\n')
  process.exitCode = exit.interrupted
}

async function screen(view: View, read: () => AsyncIterable<ListPage>): Promise<string> {
  try {
    const { items } = await gathered(read())
    const rows = view.sort === undefined ? items : sorted(items, view.sort)
    return await grid(view.columns, rows.slice(0, rowsThere()), view.headers)
  } catch (error) {
    if (!(error instanceof CliError) || error.exit !== exit.network) throw error
    return `${oneLine(error.problem.title)}; trying again\n`
  }
}

const rowsThere = (): number => Math.max(1, (process.stdout.rows ?? 24) - SURROUNDING_LINES)

/** Overwrites line by line, so that nothing flickers. */
function draw(title: string, text: string): void {
  const lines = [title.slice(0, process.stdout.columns || 80), ...text.trimEnd().split('\n')]
  data(`\u001b[H${lines.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`)
}
