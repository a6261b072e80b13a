import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CronCommand } from '../../contract/commands/cron.ts'
import { writeFile } from '../write-file.ts'
import type { Remains } from './run.ts'

/** A started command, and its start time in milliseconds. */
export interface Begun extends CronCommand {
  readonly begun: number
}

const folder = 'var/lib/panel-host/cron'
const anHour = 3_600_000
/** No command runs longer than a day. */
const twoDays = 48 * anHour

/**
 * Files of runs, readable by root only: `.json` is the command until its result was delivered, then `.told`; `.in` is
 * its input; `.out` exists once it has ended, beside systemd's report.
 */
export class RunStore {
  readonly #folder: string

  constructor(root: string) {
    this.#folder = join(root, folder)
  }

  at(run: string, ending: 'json' | 'told' | 'in' | 'out' | 'said'): string {
    return `${this.base(run)}.${ending}`
  }

  base(run: string): string {
    return join(this.#folder, run)
  }

  /** Returns whether it is new. */
  begin(command: CronCommand): boolean {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    if (this.of(command.run)) return false
    const begun: Begun = { ...command, begun: Date.now() }
    writeFile(this.at(command.run, 'in'), `${command.command}\n`, 0o600)
    writeFile(this.at(command.run, 'json'), JSON.stringify(begun), 0o600)
    return true
  }

  of(run: string): Begun | undefined {
    const path = [this.at(run, 'json'), this.at(run, 'told')].find((one) => existsSync(one))
    return path === undefined ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as Begun)
  }

  hasEnded(run: string): boolean {
    return existsSync(this.at(run, 'out'))
  }

  remains(run: string, { begun }: Begun): Remains {
    const out = this.at(run, 'out')
    const systemdOutput = readFileSync(this.at(run, 'said'), 'utf8')
    // The rename at its end set its ctime; its content is older.
    return { systemdOutput, output: readFileSync(out), tookMs: statSync(out).ctimeMs - begun }
  }

  /** Returns whether this is the first delivery. */
  report(run: string): boolean {
    if (!existsSync(this.at(run, 'json'))) return false
    renameSync(this.at(run, 'json'), this.at(run, 'told'))
    return true
  }

  forget(run: string): void {
    for (const name of this.#names()) if (name.startsWith(`${run}.`)) rmSync(join(this.#folder, name), { force: true })
  }

  /** Deletes everything kept of an account's runs. */
  forgetAll(accountId: string): void {
    for (const run of new Set(this.#names().map(runOf))) if (this.of(run)?.account.id === accountId) this.forget(run)
  }

  /** Deletes results delivered over an hour ago: until then a server that lost the answer may ask again. */
  sweep(): void {
    const now = Date.now()
    // Delivery renames a run's file, which updates only its ctime.
    const isOld = (name: string): boolean =>
      now - (statSync(join(this.#folder, name), { throwIfNoEntry: false })?.ctimeMs ?? now) > ageOf(name)
    const counts = (name: string): boolean => isRecord(name) || this.of(runOf(name)) === undefined
    for (const name of this.#names()) if (counts(name) && isOld(name)) this.forget(runOf(name))
  }

  #names(): string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder) : []
  }
}

const isRecord = (name: string): boolean => /\.(json|told)$/.test(name)
const runOf = (name: string): string => name.split('.')[0]!
const ageOf = (name: string): number => (name.endsWith('.json') ? twoDays : anHour)
