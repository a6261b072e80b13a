import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Node cannot send datagrams to a Unix socket. */
const program = '/usr/bin/systemd-notify'

/** Tells systemd, if it started this process, that it is ready, then pings its watchdog. Returns a function to stop. */
export function notifyReady(environment: NodeJS.ProcessEnv = process.env, send = notify): () => void {
  if (!environment['NOTIFY_SOCKET'] || !existsSync(program)) return () => {}
  send('READY=1')
  const microseconds = Number(environment['WATCHDOG_USEC'] ?? 0)
  if (!(microseconds > 0)) return () => {}
  const timer = setInterval(() => send('WATCHDOG=1'), microseconds / 1000 / 3)
  timer.unref()
  return () => clearInterval(timer)
}

/** A lost message is followed by another. */
function notify(state: string): void {
  execFile(program, [state], () => {})
}
