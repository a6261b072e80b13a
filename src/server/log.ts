import { pino } from 'pino'
import type { Log } from '../runtime/runtime.ts'
import { Lines } from './lines.ts'

const standardError = 2

let at = 0
let text = ''

/** As pino writes it, made once a millisecond. */
function time(): string {
  const now = Date.now()
  if (now !== at) text = `,"time":"${new Date(now).toISOString()}"`
  at = now
  return text
}

/** Structured lines on standard error. Secrets are never handed to it; the paths here are a second lock. */
export function createLog(level: string): Log {
  const names = ['password', 'new_password', 'secret', 'token', 'authorization', 'cookie']
  // Errors by their name: a wildcard would look through every field of every line.
  const redact = [...names, ...names.map((name) => `err.${name}`)]
  const options = { level, base: null, timestamp: time, redact }
  return pino(options, new Lines(standardError)) as unknown as Log
}
