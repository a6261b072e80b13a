import { interrupted } from '../errors.ts'
import { draw } from '../terminal.ts'

/** Before that, a person would not notice the wait. */
const noticed = 1000

interface Waiting {
  readonly label: string
  /** Whether the request only reads. */
  readonly reads: boolean
  /** Whether to say on the terminal what is waited for. */
  readonly visible: boolean
}

/** Waits for a server: says so on a terminal after a second, and ends with an error on Ctrl-C. */
export async function patiently<T>(waiting: Waiting, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController()
  const stopListening = onInterrupt(() => end.abort(stopped(waiting)))
  const hide = waiting.visible ? showAfterAWhile(`waiting for ${waiting.label} …`) : () => undefined
  try {
    return await Promise.race([work(end.signal), rejection(end.signal)])
  } finally {
    hide()
    stopListening()
  }
}

const stopped = ({ reads }: Waiting): Error =>
  interrupted('Interrupted', reads ? undefined : 'the server may have made the change already')

/** Commands that end by themselves on Ctrl-C do so. */
function onInterrupt(act: () => void): () => void {
  if (process.listenerCount('SIGINT') > 0) return () => undefined
  process.once('SIGINT', act)
  return () => process.off('SIGINT', act)
}

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })

function showAfterAWhile(text: string): () => void {
  let shown = false
  const timer = setTimeout(() => {
    shown = true
    draw(`\r\u001b[2K${text}`)
  }, noticed)
  return () => {
    clearTimeout(timer)
    if (shown) draw('\r\u001b[2K')
  }
}
