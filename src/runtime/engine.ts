/** Work that goes on by itself, beside requests. */
export interface Engine {
  /** Whether something that could be done has waited longer than so many milliseconds. */
  late?(ms: number): boolean
  /** Begins nothing new from now on. */
  hold?(): void
  /** Ends what is under way, and writes what is not yet written. */
  stop(): Promise<void>
}
