import type { LogLine } from './log.tsx'
import type { Answered } from './screen.ts'

const over: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled'])

export const isOver = ({ status }: Answered): boolean => over.has(status)

const tones = { warn: 'warn', error: 'bad' } as const

/** What a job wrote, as it is shown: commands stand out. */
export const linesOf = (log: readonly Answered[]): LogLine[] =>
  log.map(({ at, level, message }) => ({ at, text: message, tone: toneOf(level, message) }))

const toneOf = (level: string, message: string): LogLine['tone'] =>
  level === 'info'
    ? /^\$ /.test(message)
      ? 'go'
      : /^warning\b/i.test(message)
        ? 'warn'
        : undefined
    : tones[level as keyof typeof tones]

/** Where to go on after the lines that were read. */
export const cursorOf = (log: readonly Answered[]): number | undefined => log.at(-1)?.at
