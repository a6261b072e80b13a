import { type ExecFileException, execFile } from 'node:child_process'
import type { HostError } from '../contract/error.ts'
import { ProgramError } from '../programs/error.ts'

/** Runs a program by its absolute path, without a shell; throws its error message if it fails. */
export type Run = (program: string, args: readonly string[], options?: RunOptions) => Promise<string>

export interface RunOptions {
  readonly input?: string
  /** Exit codes that count as success, besides 0. */
  readonly fine?: readonly number[]
  readonly stage?: HostError['stage']
  /** The time limit in milliseconds. */
  readonly timeout?: number
  readonly env?: Readonly<Record<string, string>>
}

const DEFAULT_TIMEOUT_MS = 60_000
const maxBuffer = 16 * 1024 * 1024
export const systemEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' }

export const run: Run = (
  program,
  args,
  { input, fine = [], stage = 'install', timeout = DEFAULT_TIMEOUT_MS, env = {} } = {},
) =>
  new Promise((resolve, reject) => {
    const options = { env: { ...systemEnvironment, ...env }, cwd: '/', timeout, maxBuffer }
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (!error || fine.includes(error.code as number)) return resolve(stdout)
      const output = stderr.trim() === '' ? stdout : stderr
      reject(
        new ProgramError(stage, { program, words: visibleWords(program, args), output, end: endOf(error, timeout) }),
      )
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })

/** The client's words only say how it connects. */
const visibleWords = (program: string, args: readonly string[]) => (program.endsWith('/mariadb') ? [] : args)

function endOf({ code, killed, signal, message }: ExecFileException, timeoutMs: number): string {
  if (typeof code === 'string') return message
  if (killed) return `it did not end within ${timeoutMs / 1000} seconds`
  return signal ? `it was ended by ${signal}` : `it ended with code ${code}`
}
