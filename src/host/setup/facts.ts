import { totalmem } from 'node:os'
import { suiteOf } from '../debian/suite.ts'
import type { Ground } from './ground.ts'
import { serverName, serverOptions } from './hostname.ts'
import type { Choice, Facts, Step } from './step.ts'
import { nodeUnit, serverPort } from './steps/panel.ts'
import { isEnabled } from './units.ts'

/** It takes 100 MB, and more while compiling its rules; this is 2 GB minus the kernel's share. */
const memoryForSpam = 1_900_000_000

export interface Wishes {
  readonly without?: readonly Choice[] | undefined
  readonly hostname?: string | undefined
}

/** A machine's properties, and the choices made for it, now or by an earlier run. */
export async function factsOf(ground: Ground, wishes: Wishes = {}, memory = totalmem()): Promise<Facts> {
  const without = new Set(wishes.without ?? ground.record.without)
  const spam = !without.has('mail') && !without.has('spam') && memory >= memoryForSpam
  const hostname = await serverName(ground, wishes.hostname)
  const port = serverPort(serverOptions(ground))
  return { suite: suiteOf(), without, spam, hostname, port, isNode: await isEnabled(ground, nodeUnit) }
}

/** Whether this machine has what a step sets up. */
export const has = ({ choice, when }: Step, facts: Facts): boolean =>
  (choice === undefined || !facts.without.has(choice)) && (when?.(facts) ?? true)
