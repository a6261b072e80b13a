import type { Step } from '../step.ts'

/** Programs that the agent itself calls. */
export const base: Step = {
  name: 'base',
  packages: () => ['procps', 'ca-certificates'],
}
