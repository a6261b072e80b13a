import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { FileFault, HostError } from '../../error.ts'

export interface Ended {
  readonly code: number | null
  readonly errors: string
}

export interface Running {
  readonly env: NodeJS.ProcessEnv
  readonly cwd?: string | undefined
  readonly signal?: AbortSignal | undefined
}

const keptErrors = 16_384

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
    errors = (errors + text).slice(-keptErrors)
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

const missing = (): FileFault =>
  new FileFault('not-configured', 'restic is not installed on the host: install the package restic.')

/** restic's error, as one sentence. */
export function failure({ code, errors }: Ended): HostError {
  const lines = errors.split('\n').map((line) => line.replace(/\p{Cc}/gu, '').trim())
  const told = lines.filter((line) => line !== '' && !/^(?:\{|Is there a repository|unable to create lock$)/.test(line))
  const line = told.find((one) => one.startsWith('Fatal: ')) ?? told.at(-1) ?? `restic ended with code ${code}`
  return new HostError('stage', `restic: ${line.replace(/^Fatal: /, '').slice(0, 500)}`)
}
