/** Why the machine, or one step, cannot be set up, in one sentence. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
  /** What to type next. */
  readonly hint: string | undefined
  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
