import { destination, pino } from 'pino'
import type { Log } from '../runtime/runtime.ts'

/** Structured lines on standard error. Secrets are never handed to it; the paths here are a second lock. */
export function createLog(level: string): Log {
  const names = ['password', 'new_password', 'secret', 'token', 'authorization', 'cookie']
  // Errors by their name: a wildcard would look through every field of every line.
  const redact = [...names, ...names.map((name) => `err.${name}`)]
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact },
    destination({ fd: 2, sync: false }),
  )
  return log as unknown as Log
}
