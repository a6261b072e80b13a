import { hash, verify } from '@node-rs/argon2'
import { Semaphore } from './semaphore.ts'

/** 19 MiB, two passes, one lane: the floor OWASP gives for argon2id. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const
/** Hashing runs in the thread pool, so more at once would starve file work. A longer queue would only time out. */
const semaphore = new Semaphore(2, 1000)

export const passwordsWaiting = (): number => semaphore.waiting

export const hashPassword = (password: string): Promise<string> => semaphore.run(() => hash(password, cost))

/** Whether a password matches a hash. */
export const passwordFits = (password: string, stored: string): Promise<boolean> =>
  semaphore.run(() => verify(stored, password))
