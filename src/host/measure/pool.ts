/** Processes a list that may grow in the meantime, a few items at a time; stops at the first failure. */
export async function eachOf<T>(list: T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>()
  try {
    while (list.length > 0 || running.size > 0) {
      if (list.length > 0 && running.size < atOnce) start(work(list.pop()!), running)
      else await Promise.race(running)
    }
  } finally {
    await Promise.allSettled(running)
  }
}

function start(work: Promise<void>, running: Set<Promise<void>>): void {
  const job: Promise<void> = work.finally(() => running.delete(job))
  running.add(job)
}
