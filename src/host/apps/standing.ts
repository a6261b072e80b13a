import type { AppStatus } from '../apps.ts'

type Shown = Omit<AppStatus, 'id'>

/** An app's status, and why it is not as applied. */
export class Standing {
  status: Shown = { status: 'stopped' }
  #fault: unknown
  readonly #changed: () => void
  readonly #waiting = new Set<() => void>()

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get fault(): unknown {
    return this.#fault
  }

  tell(status: Shown): void {
    const isNew = JSON.stringify(status) !== JSON.stringify(this.status)
    this.status = status
    if (isNew) this.#changed()
  }

  fail(error: unknown): void {
    this.#fault = error
    for (const told of this.#waiting) told()
  }

  clear(): void {
    this.#fault = undefined
  }

  /** Resolves when it has failed, or when aborted. */
  failed(signal: AbortSignal): Promise<void> {
    if (this.#fault !== undefined || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const told = (): void => {
        this.#waiting.delete(told)
        resolve()
      }
      this.#waiting.add(told)
      signal.addEventListener('abort', told, { once: true })
    })
  }
}
