/** A step on the host that failed, with one sentence for people. */
export class HostError extends Error {
  readonly stage: 'unsupported' | 'stage' | 'precheck' | 'install' | 'validate' | 'remove'
  constructor(stage: HostError['stage'], message: string) {
    super(message)
    this.name = 'HostError'
    this.stage = stage
  }
}
