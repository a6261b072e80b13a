import { type ChildProcess, spawn } from 'node:child_process'
import { systemEnvironment } from '../commands.ts'

/** The journal never writes longer lines. */
const MAX_LINE_BYTES = 1024 * 1024
const RESTART_MS = 1000
const journalctl = '/usr/bin/journalctl'

/** A line, and the unit that the kernel says its writer was in. */
export type TakeLine = (unit: string, message: string, pid: string) => void

/**
 * Follows what root's processes in these units say from now on. Anybody may write to the journal and claim any name; `_UID`
 * and `_SYSTEMD_UNIT` are the journal's own.
 */
export class Journal {
  readonly #units: readonly string[]
  readonly #take: TakeLine
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #rest = ''

  constructor(units: readonly string[], take: TakeLine) {
    this.#units = units
    this.#take = take
  }

  follow(): void {
    const matches = this.#units.flatMap((unit, at) => [...(at > 0 ? ['+'] : []), `_SYSTEMD_UNIT=${unit}`, '_UID=0'])
    const fields = '--output-fields=MESSAGE,_SYSTEMD_UNIT,_UID,_PID'
    const child = spawn(journalctl, ['--follow', '--lines=0', '--quiet', '--output=json', fields, ...matches], {
      ...{ env: systemEnvironment, cwd: '/' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    this.#child = child
    this.#rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text))
    child.once('error', () => this.#again(child)).once('exit', () => this.#again(child))
    child.unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    const child = this.#child
    this.#child = undefined
    child?.kill()
  }

  #again(child: ChildProcess): void {
    if (this.#child !== child) return
    this.#child = undefined
    this.#timer = setTimeout(() => this.follow(), RESTART_MS).unref()
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()!
    if (this.#rest.length > MAX_LINE_BYTES) this.#rest = ''
    for (const line of lines) this.#line(line)
  }

  #line(line: string): void {
    const entry = parsed(line)
    // A message that is not text comes as a list of bytes.
    if (entry?.['_UID'] !== '0' || typeof entry['MESSAGE'] !== 'string') return
    const unit = entry['_SYSTEMD_UNIT']
    if (typeof unit === 'string' && this.#units.includes(unit))
      this.#take(unit, entry['MESSAGE'], String(entry['_PID']))
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}
