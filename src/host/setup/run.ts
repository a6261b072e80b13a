import { run } from '../debian/commands.ts'
import { SetupError } from './error.ts'
import type { Do } from './step.ts'

/** Installing hundreds of packages takes a while. */
const timeout = 30 * 60_000
const env = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }

/** Runs a program of the setup: on failure, its output becomes the error message. */
export const runForSetup: Do = async (program, args, input) => {
  try {
    return await run(program, args, { timeout, env, ...(input !== undefined && { input }) })
  } catch (error) {
    throw new SetupError((error as Error).message)
  }
}
