import { spawnSync } from 'node:child_process'
import { sendLoad } from './node.ts'
import { runWrk } from './wrk.ts'

/** What is asked, again and again, for a bounded time. */
export interface Shot {
  readonly url: string
  readonly token?: string
  /** Creates accounts, each with a name of its own; the first is called by this number. */
  readonly createFrom?: number
  readonly connections?: number
  readonly seconds?: number
}

/** What came of it. */
export interface Load {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Answers that were no success. */
  readonly failed: number
}

const hasWrk = spawnSync('wrk', ['-v']).error === undefined

export const generator = hasWrk ? 'wrk' : 'bench/load/node.ts'

/** Asks from as many connections as are wanted, 64 unless said. */
export async function load(shot: Shot): Promise<Load> {
  const full = { connections: 64, seconds: 2, ...shot }
  const result = await (hasWrk ? runWrk(full) : sendLoad(full))
  if (result.failed > 0) throw new Error(`${shot.url} answered ${result.failed} times with a failure`)
  return result
}
