import { constants } from 'node:os'
import type { Exit } from '../../apps/ground.ts'

/** What systemd tells of a unit. */
export interface UnitState {
  /** The process that it began with; nothing once that has ended. */
  readonly pid: number | undefined
  readonly isOver: boolean
  readonly exit: Exit
}

export const stateFields = ['LoadState', 'ActiveState', 'MainPID', 'ExecMainCode', 'ExecMainStatus'] as const

/** By their codes: the process exited, or a signal ended it. */
const exited = '1'
const unknown = '0'

/** Of one that ended well systemd forgets all at once. */
export function stateOf(told: string): UnitState {
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(told)?.[1] ?? ''
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
