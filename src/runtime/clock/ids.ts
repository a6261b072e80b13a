import { randomFillSync } from 'node:crypto'
import { decodeTime, encodeTime, monotonicFactory } from 'ulid'
import type { Clock } from './clock.ts'

const pool = new Uint32Array(1024)
let used = pool.length

/** A random number in [0, 1), from a pool: ulid needs one per character, and each would cost a system call. */
export function random(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return pool[used++]! / 2 ** 32
}

/** Strictly increasing ULIDs, even if the clock goes back, and above the last one of an earlier process. */
export function idFactory(clock: Clock, last?: string): () => string {
  const next = monotonicFactory(random)
  const earliest = last === undefined ? 0 : decodeTime(last) + 1
  return () => next(Math.max(clock.now(), earliest))
}

/** The lowest id of a time: those of later objects are above it. */
export const lowestIdAt = (time: number): string => `${encodeTime(time, TIME_LENGTH)}${'0'.repeat(RANDOM_LENGTH)}`

const TIME_LENGTH = 10
const RANDOM_LENGTH = 16
