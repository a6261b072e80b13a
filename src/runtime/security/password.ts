import { hash, verify } from '@node-rs/argon2'
import { FairQueue } from '../fair-queue.ts'
import type { Turn } from '../jobs/shares.ts'
import { cryptFits } from './crypt.ts'

/** 19 MiB, two passes, one lane: the floor OWASP gives for argon2id. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const
/** Hashing runs in the thread pool, so more at once would starve file work. A longer queue would only time out. */
const queue = new FairQueue(2, 1000)

export const passwordsWaiting = (): number => queue.waiting

export const hashPassword = (password: string, turn: Turn | undefined): Promise<string> =>
  queue.run(turn, () => hash(password, cost))

/** Whether a password matches a hash. */
export const passwordFits = (password: string, stored: string, turn: Turn | undefined): Promise<boolean> =>
  isForeign(stored) ? cryptFits(password, stored, turn) : queue.run(turn, () => verify(stored, password))

/** Whether a hash came with an imported account; the first sign-in replaces it. */
export const isForeign = (stored: string): boolean => !stored.startsWith('$argon2')
