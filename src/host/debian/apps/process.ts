import { setTimeout as pause } from 'node:timers/promises'
import type { AppRun, Exit } from '../../apps/app-runner.ts'
import { beginOf } from '../../tenant/processes.ts'
import type { UnitState } from './state.ts'
import type { Units } from './units.ts'

const betweenLooks = 250

export interface UnitRun {
  readonly unit: string
  readonly units: Units
  /** The unit's main process; undefined if it has ended. */
  readonly pid: number | undefined
  /** Called on each poll. */
  readonly look: () => void
  readonly serves: () => Promise<void>
  readonly drained: () => Promise<void>
}

/** A release that runs as a systemd unit: it outlives this process. */
export class UnitProcess implements AppRun {
  readonly exited: Promise<Exit>
  readonly #run: UnitRun
  #exit: Exit | undefined

  constructor(run: UnitRun) {
    this.#run = run
    this.exited = this.#wait()
  }

  get exit(): Exit | undefined {
    return this.#exit
  }

  stop(graceMs: number): Promise<void> {
    const { units, unit } = this.#run
    return this.#end(graceMs > 0 ? units.stop(unit, graceMs) : units.kill(unit))
  }

  kill(): Promise<void> {
    const { units, unit } = this.#run
    return this.#end(units.kill(unit))
  }

  serves(): Promise<void> {
    return this.#run.serves()
  }

  drained(): Promise<void> {
    return this.#run.drained()
  }

  async #end(ending: Promise<void>): Promise<void> {
    if (this.#exit) return
    await ending
    await this.exited
  }

  /** Follows its main process: everything else it started ends with that. */
  async #wait(): Promise<Exit> {
    const { pid, look, drained } = this.#run
    const begin = pid === undefined ? undefined : beginOf(pid)
    while (pid !== undefined && begin !== undefined && beginOf(pid) === begin) {
      look()
      await pause(betweenLooks, undefined, { ref: false })
    }
    await drained().catch(() => {})
    this.#exit = await this.#last().catch((): Exit => ({ code: 1, signal: null }))
    return this.#exit
  }

  /** How it ended, once all its processes are gone. */
  async #last(): Promise<Exit> {
    const { units, unit } = this.#run
    let state: UnitState = await units.state(unit)
    const { exit } = state
    for (; !state.isOver; state = await units.state(unit)) await units.killAll(unit)
    const last = state.exit.code === 0 ? exit : state.exit
    await units.forget(unit)
    return last
  }
}
