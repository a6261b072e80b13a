import { destination, pino } from 'pino'
import type { Log } from '../runtime/runtime.ts'

/** Structured lines on standard error. Secrets are never handed to it; the paths here are a second lock. */
export function createLog(level: string): Log {
  const redact = [
    'password',
    'new_password',
    'secret',
    'token',
    'authorization',
    'cookie',
    '*.password',
    '*.secret',
    '*.authorization',
  ]
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact },
    destination({ fd: 2, sync: false }),
  )
  return log as unknown as Log
}
