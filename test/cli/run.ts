import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { main } from '../../src/cli/main.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = join(root, 'bin/panel.js')

export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly env?: Record<string, string>
  readonly input?: string
}

const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? newest(join(folder, entry.name)) : statSync(join(folder, entry.name)).mtimeMs,
    ),
  )

/** The client's sources. */
const sources = ['src/cli', 'src/shared', 'src/generate', 'src/contract']

/** Builds the client if it is older than its sources. */
export function ensureBuilt(): void {
  const built = join(root, 'dist/cli/main.cjs')
  if (existsSync(built) && sources.every((folder) => statSync(built).mtimeMs > newest(join(root, folder)))) return
  execFileSync(process.execPath, ['build.js', '--client'], { cwd: root, stdio: 'inherit' })
}

/** Builds everything if the server is older than any source. */
export function ensureServerBuilt(): void {
  const built = join(root, 'dist/server/serve.js')
  if (existsSync(built) && statSync(built).mtimeMs > newest(join(root, 'src'))) return
  execFileSync(process.execPath, ['build.js'], { cwd: root, stdio: 'inherit' })
}

/** Variables that select a server: a data directory next to them would name another. */
const choosing = ['PANEL_URL', 'PANEL_CONTEXT', 'XDG_CONFIG_HOME']

/** An environment without any of the caller's variables that the command line reads. */
export function environment(more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '' } = process.env
  const nowhere = choosing.some((name) => more[name]) ? {} : { PANEL_DATA_DIR: '/nonexistent/panel' }
  return { PATH, HOME: '/nonexistent', ...nowhere, ...more }
}

/** Starts the real executable. */
export const start = (words: readonly string[], { env = {} }: Options = {}): ChildProcess =>
  spawn(process.execPath, [bin, ...words], { env: environment(env) })

/** The output of a process until it exits. */
export async function ended(child: ChildProcess): Promise<Result> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const code = await new Promise<number>((resolve) => {
    child.on('close', (status) => resolve(status ?? -1))
  })
  return { code, stdout, stderr }
}

/** Runs the real executable until it exits. */
export function panel(words: readonly string[], options: Options = {}): Promise<Result> {
  const child = start(words, options)
  child.stdin?.end(options.input ?? '')
  return ended(child)
}

/** Runs the command line in this process: the same, but faster, and without standard input. */
export async function inProcess(words: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  const saved = { env: process.env, out: process.stdout.write, err: process.stderr.write, code: process.exitCode }
  const written = { stdout: '', stderr: '' }
  const keep = (stream: 'stdout' | 'stderr') => (text: string | Uint8Array) => {
    written[stream] += text.toString()
    return true
  }
  process.env = environment(env)
  process.exitCode = 0
  process.stdout.write = keep('stdout')
  process.stderr.write = keep('stderr')
  try {
    await main(words)
    return { code: Number(process.exitCode), ...written }
  } finally {
    process.env = saved.env
    process.stdout.write = saved.out
    process.stderr.write = saved.err
    process.exitCode = saved.code
  }
}
