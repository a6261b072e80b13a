import { setPriority } from 'node:os'

/** Lowers a process's priority, if permitted: a seccomp filter may forbid it. */
export function lowerPriority(priority: number, pid = 0): void {
  try {
    setPriority(pid, priority)
  } catch {
    // It keeps its priority.
  }
}
