/** Works through a list that may grow meanwhile, a few at a time. */
export async function eachOf<T>(list: T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>()
  for (;;) {
    while (list.length > 0 && running.size < atOnce) {
      const job: Promise<void> = work(list.pop()!).finally(() => running.delete(job))
      running.add(job)
    }
    if (running.size === 0) return
    await Promise.race(running)
  }
}
