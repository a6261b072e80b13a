import { data, isTty, note, printable } from '../terminal.ts'
import type { View } from './view.ts'

type DocumentView = Pick<View, 'output' | 'select'>

/** JSON does not escape some control characters that terminals obey. */
const harmless = (text: string): string =>
  text.replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const asJson = (value: unknown): string => `${harmless(JSON.stringify(value, null, 2) ?? 'null')}\n`
const asLine = (value: unknown): string => `${harmless(JSON.stringify(value) ?? 'null')}\n`

/** Terminals get no control characters; pipes get everything. */
const forScreen = (text: string): string => (isTty() ? printable(text) : text)

async function asYaml(value: unknown): Promise<string> {
  const { yamlOf } = await import('./yaml.ts')
  return forScreen(yamlOf(value))
}

/** Prints one value in the chosen format; JSON instead of table formats. */
export async function printDocument({ output }: Pick<View, 'output'>, value: unknown): Promise<void> {
  if (output === 'yaml') return data(await asYaml(value))
  data(output === 'jsonl' ? asLine(value) : asJson(value))
}

/** Prints values one per line in jsonl, else as one document. */
export async function printDocuments(view: Pick<View, 'output'>, values: readonly unknown[]): Promise<void> {
  if (view.output === 'jsonl') return data(values.map(asLine).join(''))
  await printDocument(view, values)
}

/** Prints a response of unknown shape: JSON, unless YAML or a selection is requested. */
export async function printAnswer(view: DocumentView, value: unknown): Promise<void> {
  if (view.select !== undefined) return printSelected(view, value)
  if (typeof value === 'string') return data(forScreen(value))
  await printDocument(view, value)
}

/** Prints the result of a JMESPath expression: scalars as lines, the rest in the chosen format. */
export async function printSelected(view: DocumentView, value: unknown): Promise<void> {
  const { select } = await import('./select.ts')
  const found = select(value, view.select ?? '@')
  if (found === null) noteNoMatch(value)
  const text = view.output === 'table' || view.output === 'name' ? bare(found) : undefined
  if (text !== undefined) return data(forScreen(text))
  await (Array.isArray(found) ? printDocuments(view, found) : printDocument(view, found))
}

const noteNoMatch = (value: unknown): void =>
  note(`--select found nothing${Array.isArray(value) ? '; it is applied to the list itself, such as [].id' : ''}`)

const isBare = (value: unknown): boolean => typeof value !== 'object' || value === null

function bare(value: unknown): string | undefined {
  if (isBare(value)) return `${value ?? ''}\n`
  if (!Array.isArray(value) || !value.every(isBare)) return undefined
  return value.map((one) => `${one ?? ''}\n`).join('')
}
