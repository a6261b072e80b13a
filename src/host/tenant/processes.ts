import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { markName } from './mark.ts'

/** Processes with a mark, or still in the session of the one that was started with it. */
export interface Marked {
  readonly mark: string
  readonly session?: number | undefined
}

/** Kills those that exist now; returns whether there were any. */
export function killNow(marked: Marked): boolean {
  const found = processes().filter((pid) => isMarked(pid, marked))
  for (const pid of found) kill(pid)
  return found.length > 0
}

const betweenLooks = 5

/** Kills all of them, new ones included; resolves when none is left. */
export async function endAll(marked: Marked): Promise<void> {
  while (killNow(marked)) await pause(betweenLooks)
}

function processes(): number[] {
  return read(() => readdirSync('/proc'), [])
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid)
}

function isMarked(pid: number, { mark, session }: Marked): boolean {
  const environment = read(() => readFileSync(`/proc/${pid}/environ`, 'latin1'), '')
  if (`\0${environment}`.includes(`\0${markName}=${mark}`)) return true
  return session !== undefined && sessionOf(pid) === session
}

/** A zombie cannot be killed any further. */
function sessionOf(pid: number): number | undefined {
  const [state, , , session] = statOf(pid)
  return state === 'Z' ? undefined : Number(session)
}

/** A process's start time in ticks since boot: together with its pid it is unique, as pids are reused. */
export function beginOf(pid: number): string | undefined {
  const fields = statOf(pid)
  return fields.length > 1 && fields[0] !== 'Z' ? fields[19] : undefined
}

/** A process's stat fields from its state on: the name before that may contain anything. */
function statOf(pid: number): string[] {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'latin1'), '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function kill(pid: number): void {
  read(() => process.kill(pid, 'SIGKILL'), false)
}

/** A process may exit at any moment, and others' are unreadable. */
function read<T>(look: () => T, otherwise: T): T {
  try {
    return look()
  } catch {
    return otherwise
  }
}
