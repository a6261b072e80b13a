import { usage } from '../errors.ts'
import type { Globals } from '../invocation.ts'
import { formats } from './options.ts'

/** The global options as typed, by long name without dashes. */
export interface GlobalOptions {
  readonly [option: string]: unknown
}

export const globalsOf = (given: GlobalOptions): Globals => ({
  ...formatOf(given['output'] as string | undefined),
  quiet: given['quiet'] === true,
  debug: given['debug'] === true,
  ...(typeof given['context'] === 'string' && { context: given['context'] }),
  ...(given['all-contexts'] === true && { allContexts: true }),
  ...(typeof given['data-dir'] === 'string' && { dataDir: given['data-dir'] }),
})

function formatOf(given: string | undefined): Pick<Globals, 'output' | 'wide' | 'csv'> {
  const wanted = given ?? (process.env['PANEL_OUTPUT'] || 'table')
  const format = formats.find((one) => one === wanted)
  if (!format) throw usage(`PANEL_OUTPUT must be one of ${formats.join(', ')}, not ${wanted}`)
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
