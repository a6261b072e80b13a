import { run } from '../debian/commands.ts'
import { SetupError } from './error.ts'
import type { Do } from './step.ts'

/** Installing hundreds of packages takes its time. */
const timeout = 30 * 60_000
const env = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }

/** Programs of the setup: what they say when they fail is the sentence of the error. */
export const runForSetup: Do = async (program, args, input) => {
  try {
    return await run(program, args, { timeout, env, ...(input !== undefined && { input }) })
  } catch (error) {
    throw new SetupError((error as Error).message)
  }
}
