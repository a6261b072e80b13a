import { missingPackages } from './apt.ts'
import type { SetupContext } from './context.ts'
import { SetupError } from './error.ts'
import type { Facts, SetupStep } from './step.ts'

/**
 * Refuses to omit what this machine already has: accounts may have mail, zones or databases in it, and the agent keeps
 * applying them as long as its packages are installed.
 */
export async function refuseSkipping(context: SetupContext, steps: readonly SetupStep[], facts: Facts): Promise<void> {
  const out = steps.filter(({ choice, name }) => isLeftOut(choice, facts) && context.record.running(name) !== undefined)
  const remaining = new Set(
    steps.filter(({ choice }) => !isLeftOut(choice, facts)).flatMap((one) => one.packages(facts.suite)),
  )
  const request = [...new Set(out.flatMap(({ packages }) => packages(facts.suite)))].filter(
    (name) => !remaining.has(name),
  )
  const missing = await missingPackages(context, request)
  const there = request.filter((name) => !missing.includes(name))
  if (there.length === 0) return
  const choices = [...new Set(out.map(({ choice }) => choice))].join(',')
  throw new SetupError(
    `This machine was set up with ${choices} before: --without leaves out only what is not set up yet, and stops nothing.`,
    `to be rid of it, with its data kept: apt-get remove ${there.join(' ')}`,
  )
}

const isLeftOut = (choice: SetupStep['choice'], { without }: Facts): boolean =>
  choice !== undefined && without.has(choice)
