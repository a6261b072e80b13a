import { basename } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { HostError } from '../contract/error.ts'
import { adviceOn } from './advice.ts'

export interface FailedProgram {
  /** Its name or path. */
  readonly program: string
  /** The words that say what it was to do; none of them is a secret. */
  readonly words?: readonly string[]
  /** What was tried, as a sentence without its end, where the words do not say it. */
  readonly tried?: string
  /** What it printed. */
  readonly output: string
  /** How it ended, for one that printed nothing. */
  readonly end?: string
  /** Lines that say nothing. */
  readonly noise?: RegExp
  /** What to do, where the line alone does not say it. */
  readonly advice?: string
}

/** A program that failed: what was tried, the line that says why, and what to do. */
export class ProgramError extends HostError {
  /** The line by itself. */
  readonly line: string

  constructor(stage: HostError['stage'], failed: FailedProgram) {
    const lines = linesOf(failed)
    const line = reasonIn(lines) ?? failed.end ?? 'it printed nothing'
    const tried = failed.tried ?? `${[basename(failed.program), ...firstWords(failed.words ?? [])].join(' ')} failed`
    super(
      stage,
      `${tried}: ${line.replace(/[.:\s]+$/, '')}. ${failed.advice ?? adviceOn(nameOf(failed), [...lines, line].join('\n'))}`,
    )
    this.name = 'ProgramError'
    this.line = line
  }
}

const nameOf = ({ program }: FailedProgram): string => (program === process.execPath ? 'node' : basename(program))

const MAX_LINE_LENGTH = 500
const MAX_WORDS_LENGTH = 60

/** The first words: those of long commands say nothing to a reader. */
function firstWords(words: readonly string[]): string[] {
  const first: string[] = []
  let left = MAX_WORDS_LENGTH
  for (const word of words) {
    left -= word.length + 1
    if (left < 0 || /[\p{Cc}]/u.test(word)) return [...first, '…']
    first.push(word)
  }
  return first
}

const linesOf = ({ output, noise }: FailedProgram): string[] =>
  stripVTControlCharacters(output)
    .split('\n')
    .map((line) => line.replace(/[\p{Cc}\s]+/gu, ' ').trim())
    .filter((line) => line !== '' && !noise?.test(line))

/** The most telling line: one that says it is fatal, else one that mentions an error or a line, else the last. */
function reasonIn(lines: readonly string[]): string | undefined {
  const line =
    lines.find((one) => /\bfatal\b|emerg/i.test(one)) ??
    lines.find((one) => /error|failed/i.test(one)) ??
    lines.find((one) => /\bline \d|:\d+:/i.test(one)) ??
    lines.at(-1)
  return line?.replace(/^(?:Fatal|mariadb-dump): /i, '').slice(0, MAX_LINE_LENGTH)
}
