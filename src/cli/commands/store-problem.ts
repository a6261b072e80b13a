import { exit } from '../../shared/exit.ts'
import { CliError, denied } from '../errors.ts'

interface StoreError extends Error {
  readonly code?: string
  readonly hint?: string
}

const full = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])
const ACCESS_DENIED_CODES = new Set(['EACCES', 'EPERM', 'SQLITE_CANTOPEN', 'SQLITE_READONLY'])

/** Converts a failed backup or restore to a command line error. */
export function storeProblem(error: unknown): unknown {
  if (error instanceof CliError || !(error instanceof Error)) return error
  const { code = '', hint, message } = error as StoreError
  if (ACCESS_DENIED_CODES.has(code))
    return denied(message, process.getuid?.() === 0 ? undefined : 'try again with sudo')
  if (full.has(code)) return problem(exit.error, 'storage-full', 'The disk is full: nothing was changed')
  if (code === 'ENOENT') return problem(exit.notFound, 'not-found', message.replace(/^ENOENT: /, ''))
  if (message.startsWith('Another panel server'))
    return problem(exit.conflict, 'server-running', message, 'stop it first: systemctl stop panel')
  return problem(exit.error, 'backup', message, hint)
}

const problem = (code: number, type: string, title: string, hint?: string): CliError =>
  new CliError(code, { type: `panel:problems/${type}`, title, ...(hint && { hint }) })
