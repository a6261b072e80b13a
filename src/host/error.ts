/** A step on the host that failed, with one sentence for people. */
export class HostError extends Error {
  readonly stage: 'unsupported' | 'stage' | 'precheck' | 'install' | 'validate' | 'remove'
  /** What the system called it, where it was the system that refused. */
  readonly code: string | undefined
  constructor(stage: HostError['stage'], message: string, code?: string) {
    super(message)
    this.name = 'HostError'
    this.stage = stage
    this.code = code
  }
}
