import { exit } from '../../shared/exit.ts'
import { interrupted } from '../errors.ts'
import { draw } from '../terminal.ts'

/** A shorter wait goes unnoticed. */
const noticed = 1000
/** Time to print the error. */
const untilReported = 250

interface PendingNotice {
  readonly label: string
  /** Whether the request only reads. */
  readonly reads: boolean
  /** Whether to show on the terminal what is waited for. */
  readonly visible: boolean
}

/** Waits for a server: says so on a terminal after a second, and throws on Ctrl-C. */
export function patiently<T>(waiting: PendingNotice, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopListening = onInterrupt(() => {
      reject(stopped(waiting))
      leaveSoon()
    })
    const hide = waiting.visible ? showAfterAWhile(`waiting for ${waiting.label} …`) : () => undefined
    const settled = (): void => {
      hide()
      stopListening()
    }
    work().finally(settled).then(resolve, reject)
  })
}

/** The abandoned request would keep the process alive. An AbortSignal for it costs every command a millisecond. */
const leaveSoon = (): void => void setTimeout(() => process.exit(exit.interrupted), untilReported).unref()

const stopped = ({ reads }: PendingNotice): Error =>
  interrupted('Interrupted', reads ? undefined : 'the server may already have made the change')

/** Skipped if the command handles Ctrl-C itself. */
function onInterrupt(act: () => void): () => void {
  if (process.listenerCount('SIGINT') > 0) return () => undefined
  process.once('SIGINT', act)
  return () => process.off('SIGINT', act)
}

function showAfterAWhile(text: string): () => void {
  let isPrinted = false
  const timer = setTimeout(() => {
    isPrinted = true
    draw(`\r\u001b[2K${text}`)
  }, noticed)
  return () => {
    clearTimeout(timer)
    if (isPrinted) draw('\r\u001b[2K')
  }
}
