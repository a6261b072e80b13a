import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { FileError } from '../../contract/error.ts'
import { ProgramError } from '../../programs/error.ts'

export interface ResticExit {
  /** Its command: `backup`. */
  readonly command: string
  readonly code: number | null
  readonly errors: string
}

export interface RunningRestic {
  readonly env: NodeJS.ProcessEnv
  readonly cwd?: string | undefined
  readonly signal?: AbortSignal | undefined
}

const MAX_ERROR_LENGTH = 16_384

/** Starts restic; it releases its locks when interrupted. */
export function begin(words: readonly string[], { env, cwd, signal }: RunningRestic) {
  signal?.throwIfAborted()
  const child = spawn('restic', words, { env, cwd: cwd ?? '/', stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = (): void => void child.kill('SIGINT')
  signal?.addEventListener('abort', stop)
  const ended = endOf(child, commandIn(words)).finally(() => signal?.removeEventListener('abort', stop))
  ended.catch(() => {})
  return { stdout: child.stdout!, ended, stop }
}

async function endOf(child: ChildProcess, command: string): Promise<ResticExit> {
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-MAX_ERROR_LENGTH)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? missing() : error))
    child.once('close', resolve)
  })
  return { command, code, errors }
}

/** Runs it to its end, line by line; throws the abort reason if aborted. */
export async function runRestic(
  words: readonly string[],
  running: RunningRestic,
  heard: (line: string) => void = () => {},
): Promise<ResticExit> {
  const { stdout, ended } = begin(words, running)
  for await (const line of createInterface({ input: stdout })) heard(line)
  const end = await ended
  running.signal?.throwIfAborted()
  return end
}

const missing = (): FileError =>
  new FileError('not-configured', 'restic is not installed on the host: install the package restic.')

const commands = /^(?:backup|cat|check|dump|find|forget|init|ls|prune|restore|snapshots|stats|unlock|version)$/

/** The rest of its words are keys and paths. */
const commandIn = (words: readonly string[]): string => words.find((word) => commands.test(word)) ?? ''

/** Questions that follow an error, and progress. */
const noise = /^(?:\{|Is there a repository|unable to create lock$|lock was created at|storage ID|the .unlock. command)/

export const failure = ({ command, code, errors }: ResticExit): ProgramError =>
  new ProgramError('stage', {
    program: 'restic',
    words: [command],
    output: errors.split('\n').map(messageIn).join('\n'),
    end: `it ended with code ${code}`,
    noise,
  })

/** Later releases print their error as JSON where they were asked for that. */
function messageIn(line: string): string {
  const [, text] = /^\{.*"message_type":"exit_error".*"message":("(?:[^"\\]|\\.)*")/.exec(line) ?? []
  return text === undefined ? line : (JSON.parse(text) as string)
}
