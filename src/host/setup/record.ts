import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Choice } from './step.ts'

const file = '/var/lib/panel-host/setup.json'

interface SetupRecordContent {
  readonly without: readonly Choice[]
  /** Further versions of PHP that were asked for. */
  readonly php: readonly string[]
  /** Whether a firewall was asked for. */
  readonly firewall?: boolean
  /** Whether a web application firewall was asked for. */
  readonly waf?: boolean
  /** Digests of written files: one with another digest was changed by hand. */
  readonly written: Record<string, string>
  /** The configuration that a step's units were last started with. */
  readonly running: Record<string, string>
  /** Newly installed packages, without dependencies; undefined if unknown. */
  readonly installed?: readonly string[]
}

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What earlier runs did on this machine. */
export class SetupRecord {
  readonly #file: string
  #content: SetupRecordContent

  constructor(root: string) {
    this.#file = `${root}${file}`
    this.#content = { without: [], php: [], written: {}, running: {}, ...read(this.#file) }
  }

  get without(): readonly Choice[] {
    return this.#content.without
  }

  get php(): readonly string[] {
    return this.#content.php
  }

  get firewall(): boolean {
    return this.#content.firewall ?? false
  }

  get waf(): boolean {
    return this.#content.waf ?? false
  }

  wrote(path: string): string | undefined {
    return this.#content.written[path]
  }

  running(step: string): string | undefined {
    return this.#content.running[step]
  }

  get installed(): readonly string[] | undefined {
    return this.#content.installed
  }

  /** The files that were written. */
  get paths(): string[] {
    return Object.keys(this.#content.written)
  }

  /** Call once the setup was undone. */
  forget(): void {
    rmSync(this.#file, { force: true })
  }

  note(change: {
    without?: readonly Choice[]
    php?: readonly string[]
    firewall?: boolean
    waf?: boolean
    written?: [string, string]
    running?: [string, string]
    installed?: readonly string[]
  }): void {
    const { without, php, firewall = false, waf = false, written, running, installed } = this.#content
    this.#content = {
      without: change.without ?? without,
      php: change.php ?? php,
      ...((change.firewall ?? firewall) && { firewall: true }),
      ...((change.waf ?? waf) && { waf: true }),
      written: change.written ? { ...written, [change.written[0]]: change.written[1] } : written,
      running: change.running ? { ...running, [change.running[0]]: change.running[1] } : running,
      ...(change.installed
        ? { installed: [...new Set([...(installed ?? []), ...change.installed])] }
        : installed && { installed }),
    }
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o755 })
    writeFileSync(`${this.#file}.new`, `${JSON.stringify(this.#content, null, 2)}\n`, { mode: 0o600, flush: true })
    renameSync(`${this.#file}.new`, this.#file)
  }
}

function read(path: string): Partial<SetupRecordContent> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}
