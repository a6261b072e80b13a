import { setTimeout as pause } from 'node:timers/promises'
import { operations } from '../../contract/index.ts'
import { callOperation } from '../call.ts'
import { requestOf } from '../input.ts'
import { MAX_RESULT_BYTES, sizeOf, type ToolResult } from '../result.ts'
import type { McpSession } from '../session.ts'
import { untrustedPaths } from '../untrusted.ts'
import { type Arguments, textIn } from './arguments.ts'

/** Clients give up after 60. */
const MAX_WAIT_S = 50
const DEFAULT_WAIT_S = 30
const POLL_MS = 250
const MAX_LOG_LINES = 20

interface JobAndLog {
  readonly job: { readonly id: string; readonly status: string; readonly [field: string]: unknown }
  readonly log: readonly { readonly message: string }[]
}

const unfinished = new Set(['queued', 'leased', 'running'])

/** Waits for a job's end, and answers with its last log lines. */
export async function wait(session: McpSession, args: Arguments): Promise<ToolResult> {
  const id = textIn(args, 'job', 26)
  const seconds = Math.min(typeof args['seconds'] === 'number' ? args['seconds'] : DEFAULT_WAIT_S, MAX_WAIT_S)
  const until = performance.now() + seconds * 1000
  let found = await readJob(session, id)
  while (unfinished.has(found.job.status) && performance.now() < until) {
    await pause(POLL_MS)
    found = await readJob(session, id)
  }
  const { payload: _payload, ...job } = found.job
  const answer = { job, log: lastLines(found.log) }
  const isDone = !unfinished.has(found.job.status)
  return {
    answer,
    done: isDone,
    ...(!isDone && { next: 'It is still running; call wait again.' }),
    untrusted: untrustedPaths(answer, operations.getJob.answer, 'answer'),
  }
}

async function readJob(session: McpSession, job: string): Promise<JobAndLog> {
  const op = session.account ? operations.getJobForAccount : operations.getJob
  const input = session.account ? { jid: job } : { id: job }
  return (await callOperation(session, op, requestOf(op, input, session))) as JobAndLog
}

function lastLines(log: JobAndLog['log']): JobAndLog['log'] {
  const lines = log.slice(-MAX_LOG_LINES)
  while (lines.length > 1 && sizeOf(lines) > MAX_RESULT_BYTES / 2) lines.shift()
  return lines.map((line) => ({ ...line, message: line.message.slice(0, 2000) }))
}
