import { type Command, operationOf, table } from '../table.ts'
import { globalOptions, longName } from './options.ts'
import { helpWidth, wrapped } from './wrap.ts'

/** A comma-separated list, wrapped and indented. */
function listed(words: readonly string[], indent = '  '): string {
  const width = helpWidth() - 2
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + word.length + 2 < width) lines[lines.length - 1] = `${line}, ${word}`
    else lines.push(`${indent}${word}`)
  }
  return lines.map((line, at) => (at < lines.length - 1 ? `${line},\n` : `${line}\n`)).join('')
}

/** The end of a command's help: global options, columns, examples. */
export function notesOn(command: Command): string {
  const operation = command.operation ?? command.variant
  const shape = operation ? table.shapes[operationOf(operation).shape ?? ''] : undefined
  const columns = shape ? `\nColumns:\n${listed(shape.map(({ field }) => field))}` : ''
  const examples = command.examples.map((example) => `  ${example}`).join('\n')
  return `${globalNote()}${columns}\nExamples:\n${wrapped(examples)}`
}

/** The same for every command; only `panel --help` describes them in full. */
export const globalNote = (): string => `\nGlobal options (panel --help):\n${listed(globalOptions.map(longName))}`
