import { constants } from 'node:os'
import type { Exit } from '../../apps/app-runner.ts'

/** systemd's report on a unit. */
export interface UnitState {
  /** Its main process; undefined once that has ended. */
  readonly pid: number | undefined
  readonly isOver: boolean
  readonly exit: Exit
}

export const stateFields = ['LoadState', 'ActiveState', 'MainPID', 'ExecMainCode', 'ExecMainStatus'] as const

/** The codes of exit and of death by signal. */
const exited = '1'
const unknown = '0'

/** systemd forgets a unit that succeeded at once. */
export function stateOf(input: string): UnitState {
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(input)?.[1] ?? ''
  const pid = Number(value('MainPID'))
  const [code, status] = [value('ExecMainCode'), Number(value('ExecMainStatus'))]
  return {
    pid: pid > 1 ? pid : undefined,
    isOver: value('LoadState') === 'not-found' || ['inactive', 'failed'].includes(value('ActiveState')),
    exit: code === exited || code === unknown || code === '' ? { code: status, signal: null } : killedBy(status),
  }
}

const killedBy = (number: number): Exit => {
  const [name] = Object.entries(constants.signals).find(([, one]) => one === number) ?? []
  return { code: null, signal: (name as NodeJS.Signals | undefined) ?? 'SIGKILL' }
}
