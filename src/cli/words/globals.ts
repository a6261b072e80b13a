import { usage } from '../errors.ts'
import type { Globals } from '../invocation.ts'
import { formats } from './options.ts'

/** The global options as typed, by long name without dashes. */
export interface GlobalOptions {
  readonly [option: string]: unknown
}

export const globalsOf = (provided: GlobalOptions): Globals => ({
  ...formatOf(provided['output'] as string | undefined),
  quiet: provided['quiet'] === true,
  debug: provided['debug'] === true,
  ...(typeof provided['context'] === 'string' && { context: provided['context'] }),
  ...(provided['all-contexts'] === true && { allContexts: true }),
  ...(typeof provided['data-dir'] === 'string' && { dataDir: provided['data-dir'] }),
})

function formatOf(provided: string | undefined): Pick<Globals, 'output' | 'wide' | 'csv'> {
  const requested = provided ?? (process.env['PANEL_OUTPUT'] || 'table')
  const format = formats.find((one) => one === requested)
  if (!format) throw usage(`PANEL_OUTPUT must be one of ${formats.join(', ')}, not ${requested}`)
  if (format === 'wide') return { output: 'table', wide: true }
  return format === 'csv' ? { output: 'table', csv: true } : { output: format }
}

/** Whether to print errors as JSON; read from the raw words, since it also applies to invalid ones. */
export function wantsJson(words: readonly string[]): boolean {
  const formats = words.flatMap((word, at) => {
    if (word === '-o' || word === '--output') return [words[at + 1]]
    return /^(-o|--output=)./.test(word) ? [word.replace(/^(-o=?|--output=)/, '')] : []
  })
  const format = formats.at(-1) ?? process.env['PANEL_OUTPUT']
  return format === 'json' || format === 'jsonl'
}
