import type { Step } from '../step.ts'
import { steps } from './index.ts'
import { agent, agentOfNode, server } from './panel.ts'

/** Panel's own services too, around those that host. */
export const wholeSetup: readonly Step[] = [agent, agentOfNode, ...steps, server]
