import { execFile } from 'node:child_process'
import { HostError } from '../contract/error.ts'

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
      reject(new HostError(stage, `${program} failed: ${reasonIn(stderr || stdout) ?? error.message}`))
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })

/** The most telling line: one that mentions an error, else the last. */
function reasonIn(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return (lines.find((line) => /emerg|error|failed/i.test(line)) ?? lines.at(-1))?.trim().slice(0, 300)
}
