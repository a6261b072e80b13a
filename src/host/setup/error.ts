/** Why the machine cannot be set up, or a step of it, in one sentence. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
  /** What to type next. */
  readonly hint: string | undefined
  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}
