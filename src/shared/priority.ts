import { setPriority } from 'node:os'

/** Has a process yield the processor, where the system lets it: a filter of system calls may not. Its work is the same. */
export function giveWay(priority: number, pid = 0): void {
  try {
    setPriority(pid, priority)
  } catch {
    // It goes on as it was.
  }
}
