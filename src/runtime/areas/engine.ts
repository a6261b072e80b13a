/** Background work, independent of requests. */
export interface Engine {
  /** Whether runnable work has waited longer than so many milliseconds. */
  late?(ms: number): boolean
  /** Starts nothing new from now on. */
  hold?(): void
  /** Finishes the work in flight and writes what is still unwritten. */
  stop(): Promise<void>
}
