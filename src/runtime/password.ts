import { hash, verify } from '@node-rs/argon2'
import { Semaphore } from './semaphore.ts'

/** 19 MiB, two passes, one lane: the floor OWASP gives for argon2id. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const
/** Hashing runs in the thread pool: more at a time would starve file work. More waiting would give up before their turn. */
const semaphore = new Semaphore(2, 1000)

/** How many passwords wait for their turn. */
export const passwordsWaiting = (): number => semaphore.waiting

/** An argon2id hash of a password. */
export const hashPassword = (password: string): Promise<string> => semaphore.run(() => hash(password, cost))

/** Whether a password fits a hash. */
export const passwordFits = (password: string, stored: string): Promise<boolean> =>
  semaphore.run(() => verify(stored, password))
