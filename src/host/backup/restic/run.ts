import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { FileError, HostError } from '../../contract/error.ts'

export interface Ended {
  readonly code: number | null
  readonly errors: string
}

export interface Running {
  readonly env: NodeJS.ProcessEnv
  readonly cwd?: string | undefined
  readonly signal?: AbortSignal | undefined
}

const MAX_ERROR_LENGTH = 16_384

/** Starts restic; it releases its locks when interrupted. */
export function begin(words: readonly string[], { env, cwd, signal }: Running) {
  signal?.throwIfAborted()
  const child = spawn('restic', words, { env, cwd: cwd ?? '/', stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = (): void => void child.kill('SIGINT')
  signal?.addEventListener('abort', stop)
  const ended = endOf(child).finally(() => signal?.removeEventListener('abort', stop))
  ended.catch(() => {})
  return { stdout: child.stdout!, ended, stop }
}

async function endOf(child: ChildProcess): Promise<Ended> {
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERROR_LENGTH)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? missing() : error))
    child.once('close', resolve)
  })
  return { code, errors }
}

/** Runs it to its end, line by line; throws the abort reason if aborted. */
export async function runRestic(
  words: readonly string[],
  running: Running,
  heard: (line: string) => void = () => {},
): Promise<Ended> {
  const { stdout, ended } = begin(words, running)
  for await (const line of createInterface({ input: stdout })) heard(line)
  const end = await ended
  running.signal?.throwIfAborted()
  return end
}

const missing = (): FileError =>
  new FileError('not-configured', 'restic is not installed on the host: install the package restic.')

/** restic's error, as one sentence. */
export function failure({ code, errors }: Ended): HostError {
  const lines = errors.split('\n').map((line) => line.replace(/\p{Cc}/gu, '').trim())
  const input = lines.filter(
    (line) => line !== '' && !/^(?:\{|Is there a repository|unable to create lock$)/.test(line),
  )
  const line = input.find((one) => one.startsWith('Fatal: ')) ?? input.at(-1) ?? `restic ended with code ${code}`
  return new HostError('stage', `restic: ${line.replace(/^Fatal: /, '').slice(0, 500)}`)
}
