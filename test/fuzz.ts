import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect } from 'vitest'

/** With FUZZ_SECONDS a property runs for that long instead of a number of times; FUZZ_LOG collects how often it ran. */
const { FUZZ_SECONDS, FUZZ_LOG } = process.env

/** How often a property runs. Less than a minute at a time: vitest takes a longer silence for a hanging worker. */
export function runs<T>(numRuns = 100): fc.Parameters<T> {
  if (FUZZ_SECONDS === undefined) return { numRuns }
  return {
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: Number(FUZZ_SECONDS) * 1000,
    reporter: (details) => {
      if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
      if (FUZZ_LOG) appendFileSync(FUZZ_LOG, `${details.numRuns}\t${expect.getState().currentTestName}\n`)
    },
  }
}
