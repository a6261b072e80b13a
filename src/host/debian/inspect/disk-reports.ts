import { existsSync } from 'node:fs'
import type { Condition } from '../../contract/commands/condition.ts'
import type { Run } from '../commands.ts'

const smartctl = '/usr/sbin/smartctl'
/** The agent may not talk to devices itself: systemd starts the program. */
const outside = ['--quiet', '--wait', '--pipe', '--collect']
const INTERVAL_MS = 3_600_000
const MAX_DISKS = 64
const PROGRAM_TIMEOUT_MS = 30_000
/** Its exit code is a set of findings; the answer tells them better. */
const anyCode = Array.from({ length: 255 }, (_, at) => at + 1)

type FailingDisk = Condition['failingDisks'][number]

/** What disks report of themselves (SMART), asked once an hour. Empty without smartctl. */
export class DiskReports {
  readonly #run: Run
  readonly #now: () => number
  readonly #program: string
  #last: readonly FailingDisk[] = []
  #at = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(run: Run, { now = () => performance.now(), program = smartctl } = {}) {
    this.#run = run
    this.#now = now
    this.#program = program
  }

  /** As last reported: a slow disk keeps no caller waiting. */
  async failing(): Promise<readonly FailingDisk[]> {
    if (this.#now() - this.#at >= INTERVAL_MS && existsSync(this.#program)) {
      this.#at = this.#now()
      this.#asking ??= this.#ask()
        .catch(() => {})
        .finally(() => {
          this.#asking = undefined
        })
    }
    return this.#last
  }

  async #ask(): Promise<void> {
    const { devices = [] } = (await this.#json('--scan')) as { devices?: readonly Device[] }
    const failing: FailingDisk[] = []
    for (const { name, type } of devices.slice(0, MAX_DISKS)) {
      const report = (await this.#json('--health', '--device', type, name)) as Health
      if (report.smart_status?.passed === false) failing.push({ device: name, reason: reasonOf(report) })
    }
    this.#last = failing
  }

  async #json(...words: readonly string[]): Promise<object> {
    const options = { fine: anyCode, timeout: PROGRAM_TIMEOUT_MS }
    const line = [...outside, this.#program, '--json=c', ...words]
    return JSON.parse(await this.#run('/usr/bin/systemd-run', line, options))
  }
}

interface Device {
  readonly name: string
  readonly type: string
}

interface Health {
  readonly model_name?: string
  readonly serial_number?: string
  readonly smart_status?: { readonly passed?: boolean }
}

const reasonOf = ({ model_name, serial_number }: Health): string => {
  const what = [model_name, serial_number && `serial number ${serial_number}`].filter(Boolean).join(', ')
  return `It expects to fail soon${what === '' ? '' : ` (${what})`}.`
}
