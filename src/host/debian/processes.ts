import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import { HostError } from '../error.ts'

const pause = 5
const patience = 10_000

/** Kills all that runs with a uid, and what it still starts, until none is left; `spared` are processes of ours. */
export async function endAllOf(uid: number, spared: ReadonlySet<number> = new Set(), proc = '/proc'): Promise<void> {
  const end = performance.now() + patience
  for (let left = runningAs(uid, spared, proc); left.length > 0; left = runningAs(uid, spared, proc)) {
    if (performance.now() > end) throw new HostError('remove', `Processes of the user ${uid} could not be ended.`)
    for (const pid of left) kill(pid)
    await after(pause)
  }
}

const runningAs = (uid: number, spared: ReadonlySet<number>, proc: string): number[] =>
  readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid && !spared.has(pid) && isOf(pid, uid, proc))

/** One that has ended and is not yet reaped is nobody's any more. */
function isOf(pid: number, uid: number, proc: string): boolean {
  try {
    const status = readFileSync(`${proc}/${pid}/status`, 'utf8')
    const [, state] = /^State:\t(\w)/m.exec(status) ?? []
    return state !== 'Z' && new RegExp(`^Uid:.*\\t${uid}\\b`, 'm').test(status)
  } catch {
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
