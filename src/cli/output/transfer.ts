import type { Globals } from '../invocation.ts'
import { draw, printable } from '../terminal.ts'
import { sizeText } from './size.ts'

/** A transfer's progress on standard error. */
export interface TransferBar {
  readonly pass: (bytes: number) => void
  readonly end: () => void
}

const width = 20
const frame = 100
const silent: TransferBar = { pass: () => undefined, end: () => undefined }

/** An updating line on a terminal; nothing elsewhere. `from`: bytes that were there before. */
export function transferBar({ quiet, debug }: Globals, name: string, total?: number, from = 0): TransferBar {
  if (quiet || debug || !process.stderr.isTTY) return silent
  const began = performance.now()
  let passed = 0
  let isPrinted = false
  const redraw = (): void => {
    isPrinted = true
    const line = lineOf({ name, done: from + passed, total, rate: passed / ((performance.now() - began) / 1000) })
    draw(`\r\u001b[2K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`)
  }
  const timer = setInterval(redraw, frame).unref()
  return {
    pass: (bytes) => {
      passed += bytes
    },
    end: () => {
      clearInterval(timer)
      if (isPrinted) draw('\r\u001b[2K')
      isPrinted = false
    },
  }
}

interface TransferState {
  readonly name: string
  readonly done: number
  readonly total: number | undefined
  /** Bytes per second. */
  readonly rate: number
}

/** `site.zip ━━━━━━────────────── 31% 12.4 MB/s 0:42 left` */
export function lineOf({ name, done, total, rate }: TransferState): string {
  const speed = `${sizeText(rate)}/s`
  if (total === undefined) return `${printable(name)} ${sizeText(done)} ${speed}`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * width)
  const bar = '━'.repeat(filled) + '─'.repeat(width - filled)
  return `${printable(name)} ${bar} ${Math.floor(share * 100)}% ${speed} ${timeLeft((total - done) / rate)}`
}

function timeLeft(seconds: number): string {
  if (!Number.isFinite(seconds)) return ''
  const rounded = Math.ceil(seconds)
  const [hours, minutes] = [Math.floor(rounded / 3600), Math.floor(rounded / 60) % 60]
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(rounded % 60)} left`
}
