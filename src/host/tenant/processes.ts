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
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'latin1'), '')
  const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' ? undefined : Number(session)
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
