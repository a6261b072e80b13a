import { spawnSync } from 'node:child_process'
import { sendLoad } from './node.ts'
import { runWrk } from './wrk.ts'

/** What is asked, again and again, for a bounded time. */
export interface Shot {
  readonly url: string
  readonly token?: string
  /** Of a browser that is signed in: it is sent pages, compressed. */
  readonly cookie?: string
  /** What else a browser says. */
  readonly headers?: Readonly<Record<string, string>>
  /** Asks no more often than this. */
  readonly max?: number
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

/** Connections and seconds of the run that percentiles are taken from. */
const watched = { connections: 16, seconds: 1 }

/** A name that the first run does not reach. */
const later = 500_000

/**
 * Asks from as many connections as are wanted, 64 by default. Percentiles are of a run of their own: those of wrk are
 * filled up with requests that were never sent.
 */
export async function load(shot: Shot): Promise<Load> {
  const full = { connections: 64, seconds: 2, ...shot }
  const first = await succeeded(full, hasWrk ? runWrk(full) : sendLoad(full))
  if (!hasWrk) return first
  const again = { ...shot, ...watched, ...(shot.createFrom !== undefined && { createFrom: shot.createFrom + later }) }
  const { p50, p99 } = await succeeded(again, sendLoad(again))
  return { ...first, p50, p99 }
}

async function succeeded({ url }: Shot, sent: Promise<Load>): Promise<Load> {
  const result = await sent
  if (result.failed > 0) throw new Error(`${url} answered ${result.failed} times with a failure`)
  return result
}
