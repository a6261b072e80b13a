import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { markName } from './mark.ts'

/** Processes that carry a mark, or are still in the session of the one that was started with it. */
export interface Marked {
  readonly mark: string
  readonly session?: number | undefined
}

/** Ends what is there now; answers whether there was anything. */
export function killNow(marked: Marked): boolean {
  const found = processes().filter((pid) => isMarked(pid, marked))
  for (const pid of found) kill(pid)
  return found.length > 0
}

const betweenLooks = 5

/** Ends all of them, and what they still start; resolves when none is left. */
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

/** Of one that has ended and is not yet reaped there is nothing left to end. */
function sessionOf(pid: number): number | undefined {
  const [state, , , session] = statOf(pid)
  return state === 'Z' ? undefined : Number(session)
}

/** When a process began, in ticks since the machine did: with its id this names it, for ids are used again. */
export function beginOf(pid: number): string | undefined {
  const fields = statOf(pid)
  return fields.length > 1 && fields[0] !== 'Z' ? fields[19] : undefined
}

/** What the system tells of a process, from its state on: its name, before that, may contain anything. */
function statOf(pid: number): string[] {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'latin1'), '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function kill(pid: number): void {
  read(() => process.kill(pid, 'SIGKILL'), false)
}

/** A process may end at any moment, and others are not ours to read. */
function read<T>(look: () => T, otherwise: T): T {
  try {
    return look()
  } catch {
    return otherwise
  }
}
