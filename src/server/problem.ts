import { Problem, problems } from '../contract/problem.ts'
import { isFull, type Log } from '../runtime/runtime.ts'

/** Any error as the problem a caller sees; what is not meant for callers goes to the log. */
export function problemOf(error: unknown, log: Log, requestId: string): Problem {
  if (error instanceof Problem) return error
  if (isFull(error)) return new Problem('storage-full', 'The disk is full: nothing was changed.')
  log.error({ err: error, request_id: requestId }, 'a request failed')
  return new Problem(
    'internal',
    `Something went wrong on the server; its log has more under the request id ${requestId}.`,
  )
}

/** A page for people about a code, or undefined for a code nobody knows. */
export function explain(code: string): string | undefined {
  const problem = Object.hasOwn(problems, code) ? problems[code as keyof typeof problems] : undefined
  if (!problem) return undefined
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${code}</title><h1>${problem.title}</h1><p>The code <code>${code}</code>, answered with HTTP status ${problem.status}. The answer's <code>detail</code> and <code>fields</code> say what to do.</p></html>`
}
