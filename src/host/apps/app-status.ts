import type { AppStatus } from '../contract/commands/apps.ts'

type PublishedStatus = Omit<AppStatus, 'id'>

/** An app's status, and why it is not as applied. */
export class AppStatusTracker {
  status: PublishedStatus = { status: 'stopped' }
  #error: unknown
  readonly #changed: () => void
  readonly #waiting = new Set<() => void>()

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get error(): unknown {
    return this.#error
  }

  notify(status: PublishedStatus): void {
    const isNew = JSON.stringify(status) !== JSON.stringify(this.status)
    this.status = status
    if (isNew) this.#changed()
  }

  fail(error: unknown): void {
    this.#error = error
    for (const wake of this.#waiting) wake()
  }

  clear(): void {
    this.#error = undefined
  }

  /** Resolves when it has failed, or when aborted. */
  failed(signal: AbortSignal): Promise<void> {
    if (this.#error !== undefined || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }
}
