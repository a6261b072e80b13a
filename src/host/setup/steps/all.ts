import type { SetupStep } from '../step.ts'
import { steps } from './index.ts'
import { agent, agentOfNode, server } from './panel.ts'

/** The hosting services, and panel's own around them. */
export const allSteps: readonly SetupStep[] = [agent, agentOfNode, ...steps, server]
