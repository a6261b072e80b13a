import { setTimeout as pause } from 'node:timers/promises'
import type { BegunRun, CommandEnd, CronCommand } from '../../contract/commands/cron.ts'
import { HostError } from '../../contract/error.ts'
import { isLeaving, leaving } from '../../driver/detach.ts'
import type { Run } from '../commands.ts'
import { mailOutput } from './mail.ts'
import { commandEnd } from './run.ts'
import { type Begun, RunStore } from './run-store.ts'
import { allUnits, keeperOf, keeperWords, runIn, unitOf } from './unit.ts'

const systemctl = '/usr/bin/systemctl'
const betweenLooks = [25, 50, 100, 200] as const
const MAX_POLL_INTERVAL_MS = 400
/** Polls between checks that the run can still end. */
const looksOfTrust = 25
const betweenSweeps = 60_000

/** Runs of tenants' commands: each outlives this process, and is kept until its result was delivered. */
export class CronRuns {
  readonly #run: Run
  readonly #runStore: RunStore
  #swept = 0

  constructor(run: Run, root = '/') {
    this.#run = run
    this.#runStore = new RunStore(root)
  }

  async begin(command: CronCommand): Promise<void> {
    this.#sweep()
    if (!this.#runStore.begin(command)) throw new HostError('stage', 'This run was begun before.')
    try {
      await this.#run('/usr/bin/systemd-run', keeperWords(command, this.#runStore.base(command.run)), {
        stage: 'stage',
      })
    } catch (error) {
      this.#runStore.forget(command.run)
      throw error
    }
  }

  /** How a run ended; undefined if it is unknown, or ended with the machine. */
  async end({ run, account }: BegunRun, signal?: AbortSignal): Promise<CommandEnd | undefined> {
    const begun = this.#runStore.of(run)
    if (begun?.account.id !== account.id) return undefined
    const limit = this.#limitOf(begun, signal)
    const hasEnded = await this.#untilOver(run, signal).finally(limit.lift)
    if (isLeaving(signal)) throw leaving
    if (signal?.aborted || !hasEnded) {
      this.#runStore.forget(run)
      signal?.throwIfAborted()
      return undefined
    }
    const reported = commandEnd(begun, this.#runStore.remains(run, begun))
    const end = { ...reported, timedOut: reported.timedOut || limit.isOver() }
    // The run is over, whether or not the mail can be sent.
    if (this.#runStore.report(run))
      await mailOutput(this.#run, begun, end).catch(({ message }: Error) => console.warn(message))
    return end
  }

  /** Deletes everything kept of an account's runs. */
  forget(accountId: string): void {
    this.#runStore.forgetAll(accountId)
  }

  /** Units of runs that no longer have a record. */
  async strays(): Promise<string[]> {
    this.#sweep()
    const words = ['list-units', '--all', '--plain', '--no-legend', '--no-pager', allUnits]
    const listed = await this.#run(systemctl, words, { fine: [1] })
    const units = listed.split('\n').flatMap((line) => /^\s*(\S+\.service)\s/.exec(line)?.[1] ?? [])
    return units.filter((unit) => !this.#runStore.of(runIn(unit)))
  }

  /** Returns whether it ended with a known result. */
  async #untilOver(run: string, signal: AbortSignal | undefined): Promise<boolean> {
    for (let looks = 0; !this.#runStore.hasEnded(run); looks++) {
      if (isLeaving(signal)) throw leaving
      if (looks % looksOfTrust === 0 && !(await this.#isRetained(run))) return this.#runStore.hasEnded(run)
      await pause(betweenLooks[looks] ?? MAX_POLL_INTERVAL_MS)
    }
    return true
  }

  async #isRetained(run: string): Promise<boolean> {
    const state = await this.#run(systemctl, ['is-active', keeperOf(run)], { fine: [1, 3, 4] })
    return ['active', 'activating', 'deactivating'].includes(state.trim())
  }

  /** Kills all its processes, at the time limit or on cancellation. */
  #limitOf(begun: Begun, signal: AbortSignal | undefined) {
    let isOver = false
    const kill = (): void => {
      if (!isLeaving(signal)) void this.#kill(begun).catch(() => {})
    }
    const end = (): void => {
      isOver = true
      kill()
    }
    const timer = setTimeout(end, Math.max(0, begun.begun + begun.timeoutS * 1000 - Date.now()))
    signal?.addEventListener('abort', kill)
    if (signal?.aborted) kill()
    return {
      isOver: () => isOver,
      lift() {
        clearTimeout(timer)
        signal?.removeEventListener('abort', kill)
      },
    }
  }

  async #kill(begun: Begun): Promise<void> {
    await this.#run(systemctl, ['kill', '--kill-whom=all', '--signal=KILL', unitOf(begun)], { fine: [1, 5] })
  }

  #sweep(): void {
    if (Date.now() - this.#swept < betweenSweeps) return
    this.#swept = Date.now()
    this.#runStore.sweep()
  }
}
