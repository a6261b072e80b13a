import type { Child } from 'hono/jsx'
import { coalesces } from '../../shared/job-kinds.ts'
import { followed, type LogLine } from './components/log.tsx'
import type { Answered, ViewContext } from './screen.ts'

const over: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled'])

export const isOver = ({ status }: Answered): boolean => over.has(status)

/** Whether it failed and may run again. */
export const isRetryable = ({ status, kind }: Answered): boolean => status === 'failed' && coalesces(kind)

const tones = { warn: 'warn', error: 'bad' } as const

interface PageJob {
  readonly log: readonly Answered[]
  readonly continues: boolean
  readonly hasSteps?: boolean
  readonly extra?: Child
}

/** A job's log so far, and its further lines. */
export const followedJob = (view: ViewContext, { log, ...job }: PageJob) =>
  followed({ view, lines: log.map(lineOf), cursor: log.at(-1)?.at, empty: 'Nothing was written yet.', ...job })

/** Highlights commands. */
const lineOf = ({ at, level, message }: Answered): LogLine => ({ at, text: message, tone: toneOf(level, message) })

const toneOf = (level: string, message: string): LogLine['tone'] =>
  level === 'info'
    ? /^\$ /.test(message)
      ? 'go'
      : /^warning\b/i.test(message)
        ? 'warn'
        : undefined
    : tones[level as keyof typeof tones]
