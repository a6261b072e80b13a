import { pino } from 'pino'
import type { Log } from '../runtime/runtime.ts'
import { LogLines } from './log-writer.ts'

const standardError = 2

let at = 0
let text = ''

/** The time as pino writes it, formatted once per millisecond. */
function time(): string {
  const now = Date.now()
  if (now !== at) text = `,"time":"${new Date(now).toISOString()}"`
  at = now
  return text
}

/** Structured lines on standard error. Callers never pass secrets; these paths are a second safeguard. */
export function createLog(level: string): Log {
  const names = ['password', 'new_password', 'secret', 'token', 'authorization', 'cookie']
  // Lists error fields by name: a wildcard would search every field of every line.
  const redact = [...names, ...names.map((name) => `err.${name}`)]
  const options = { level, base: null, timestamp: time, redact }
  return pino(options, new LogLines(standardError)) as unknown as Log
}
