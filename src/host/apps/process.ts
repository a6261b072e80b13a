import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { beginOf, endAll } from '../tenant/processes.ts'
import type { AppRun, Exit } from './app-runner.ts'

/** How to start an app's process. */
export interface Start {
  readonly command: string
  /** Prepended to the shell command. */
  readonly before?: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly mark: string
  /** Where to record its pid and start time. */
  readonly note: string
  readonly output: (bytes: Buffer) => Promise<void>
}

/** A serving process, with all its descendants, until it ends or is ended. */
export class AppProcess implements AppRun {
  readonly exited: Promise<Exit>
  readonly #child: ChildProcess
  readonly #mark: string
  #exit: Exit | undefined

  private constructor(child: ChildProcess, mark: string) {
    this.#child = child
    this.#mark = mark
    this.exited = new Promise<Exit>((resolve) => {
      child.once('error', () => resolve({ code: 127, signal: null }))
      child.once('exit', (code, signal) => resolve({ code, signal }))
    }).then(async (exit) => {
      await this.kill()
      this.#exit = exit
      return exit
    })
  }

  static async start({ command, before = '', cwd, env, mark, note, output }: Start): Promise<AppProcess> {
    const child = spawn('/bin/sh', ['-c', `umask 022; ${before}exec /bin/sh -c "$1" 2>&1`, 'sh', command], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    const made = new AppProcess(child, mark)
    void forward(child, output)
    if (child.pid === undefined) return made
    await writeFile(note, `${child.pid} ${beginOf(child.pid) ?? ''} ${mark}\n`, { mode: 0o600 }).catch(() => {})
    return made
  }

  get exit(): Exit | undefined {
    return this.#exit
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#exit) return
    this.#ask()
    const late = setTimeout(() => void this.kill(), graceMs)
    await this.exited.finally(() => clearTimeout(late))
  }

  kill(): Promise<void> {
    return endAll({ mark: this.#mark, session: this.#child.pid })
  }

  async serves(): Promise<void> {}

  async drained(): Promise<void> {}

  /** Signals the whole group: the shell, npm, and what they run. */
  #ask(): void {
    const { pid } = this.#child
    if (pid === undefined || pid <= 1) return
    try {
      process.kill(-pid, 'SIGTERM')
    } catch {
      // It has already ended.
    }
  }
}

/** With backpressure. */
async function forward(child: ChildProcess, output: (bytes: Buffer) => Promise<void>): Promise<void> {
  try {
    for await (const chunk of child.stdout!) await output(chunk as Buffer)
  } catch {
    // Killed while it wrote.
  }
}

/** Kills a note's process if it is still the same one: its pid may have been reused. */
export async function endNoted(note: string): Promise<void> {
  const [pid, begin, mark] = (await readFile(note, 'utf8').catch(() => '')).trim().split(' ')
  if (!mark) return
  const id = Number(pid)
  const isSame = Number.isSafeInteger(id) && id > 1 && begin !== '' && beginOf(id) === begin
  await endAll({ mark, ...(isSame && { session: id }) })
}
