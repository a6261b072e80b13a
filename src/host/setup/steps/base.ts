import type { Step } from '../step.ts'

/** What the agent itself calls. */
export const base: Step = {
  name: 'base',
  packages: () => ['procps', 'ca-certificates'],
}
