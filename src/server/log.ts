import { destination, pino } from 'pino'
import type { Log } from '../runtime/runtime.ts'

/** What the disk does not take now waits in memory up to here; lines beyond are lost, and the server goes on. */
const mostUnwritten = 1024 * 1024

/** Structured lines on standard error. Secrets are never handed to it; the paths here are a second lock. */
export function createLog(level: string): Log {
  const names = ['password', 'new_password', 'secret', 'token', 'authorization', 'cookie']
  // Errors by their name: a wildcard would look through every field of every line.
  const redact = [...names, ...names.map((name) => `err.${name}`)]
  const errors = destination({ fd: 2, sync: false, maxLength: mostUnwritten })
  errors.on('error', () => {})
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact }, errors)
  return log as unknown as Log
}
