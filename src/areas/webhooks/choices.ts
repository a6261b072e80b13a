import { Problem, type ProblemCode } from '../../contract/problem.ts'
import type { Reach } from '../../outgoing/address.ts'
import { eventsProblem } from './patterns.ts'
import { type OwnAddresses, urlProblem } from './url.ts'

interface Choices {
  readonly url?: string
  readonly events?: readonly string[]
}

/** 422 if the URL or the events are invalid; both are named, the first gives the code. */
export function refuseBadChoices({ url, events }: Choices, reach: Reach, addresses: OwnAddresses): void {
  const problems: [string, ProblemCode, string | undefined][] = [
    ['url', 'invalid-url', url === undefined ? undefined : urlProblem(url, reach, addresses)],
    ['events', 'invalid-events', events === undefined ? undefined : eventsProblem(events, reach === 'public')],
  ]
  const found = problems.flatMap(([field, code, message]) => (message === undefined ? [] : [{ field, code, message }]))
  if (found.length === 0) return
  throw new Problem(
    found[0]!.code,
    found.map(({ field, message }) => `${field}: ${message}`).join('; '),
    Object.fromEntries(found.map(({ field, message }) => [field, message])),
  )
}
