import { readFileSync } from 'node:fs'
import { childrenOf } from '../server.ts'
import type { World } from './world.ts'

/** Linux counts in hundredths of a second, whatever the kernel's own tick is. */
const tick = 10

/** Fields of `/proc/PID/stat` behind the name: of the process, and of its children that have ended. */
const fields = { own: [11, 12], ended: [13, 14] } as const

/** Milliseconds of the processor's time that all processes of a world have used, ended ones too. */
export function processorTime({ panel, agents }: World): number {
  const alive = [panel, ...agents].flatMap(({ pid }) => (pid === undefined ? [] : [pid, ...childrenOf(pid)]))
  return timeOf(process.pid, 'ended') + alive.reduce((sum, pid) => sum + timeOf(pid, 'own') + timeOf(pid, 'ended'), 0)
}

function timeOf(pid: number, which: keyof typeof fields): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[which].reduce((sum, place) => sum + Number(values[place]) * tick, 0)
  } catch {
    return 0
  }
}
