import type { Problem, ProblemFields } from '../contract/problem.ts'

/** A refusal in WHM's words, sent with `result` 0. */
export class Failure extends Error {}

const denials = new Set<string>(['token-scope', 'forbidden', 'feature-disabled', 'suspend-locked'])

export function reasonOf(problem: Problem): string {
  const message = problem.detail ?? (problem.fields ? joined(problem.fields) : problem.message)
  return denials.has(problem.code) ? `Permission denied: ${message}` : message
}

const joined = (fields: ProblemFields): string =>
  Object.entries(fields)
    .map(([field, message]) => `${field} ${message}`)
    .join('; ')
