import type { Globals } from '../invocation.ts'
import { type JobAndLog, type LogLine, statusOf } from '../request/job.ts'
import { draw, note, paintFor, printable } from '../terminal.ts'

/** Shows a job's progress on standard error. */
export interface Progress {
  show(news: JobAndLog): void
  end(): void
  /** Log lines no longer on the screen. */
  hidden(): readonly LogLine[]
}

/** None with `--quiet`, an updating line on a terminal, plain lines elsewhere. */
export async function progressFor(globals: Globals): Promise<Progress> {
  if (globals.quiet) return quietProgress()
  return process.stderr.isTTY && !globals.debug ? movingProgress() : plainProgress()
}

function quietProgress(): Progress {
  const lines: LogLine[] = []
  return { show: ({ log }) => void lines.push(...log), end: () => undefined, hidden: () => lines }
}

function plainProgress(): Progress {
  let status = ''
  let step: string | undefined
  const show = ({ job, log }: JobAndLog): void => {
    if (job.step && job.step !== step) note(`${job.kind}: ${printable(job.step)}`)
    step = job.step
    for (const line of log) note(`${job.kind}: ${line.level === 'info' ? '' : `${line.level}: `}${line.message}`)
    const now = statusOf(job)
    if (now !== status && job.status !== 'leased') note(`${job.kind}: ${printable(now)}`)
    status = now
  }
  return { show, end: () => undefined, hidden: () => [] }
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const barWidth = 20
const frameTime = 100

/** `⠹ account.create ━━━━━━────────────── 30% apply: making the home directory` */
async function movingProgress(): Promise<Progress> {
  const paint = await paintFor(process.stderr)
  const lines: LogLine[] = []
  let news: JobAndLog | undefined
  let frame = 0
  const redraw = (): void => {
    if (!news) return
    const { kind, progress_pct: percent, step } = news.job
    const message = printable(
      [step, news.job.waiting_for ?? lines.at(-1)?.message ?? news.job.status].filter(Boolean).join(': '),
    )
    const head = `${frames[frame++ % frames.length]} ${kind} ${bar(percent)} ${percent}% `
    draw(`\r\u001b[2K${head}${paint('dim', message.slice(0, roomAfter(head)))}`)
  }
  const timer = setInterval(redraw, frameTime)
  timer.unref()
  return {
    show: (latest) => {
      news = latest
      lines.push(...latest.log)
      redraw()
    },
    end: () => {
      clearInterval(timer)
      if (news) draw('\r\u001b[2K')
      news = undefined
    },
    hidden: () => lines,
  }
}

const roomAfter = (head: string): number => Math.max(0, (process.stderr.columns ?? 80) - head.length - 1)

function bar(percent: number): string {
  const filled = Math.round((percent / 100) * barWidth)
  return '━'.repeat(filled) + '─'.repeat(barWidth - filled)
}
