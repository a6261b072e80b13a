import { hash, verify } from '@node-rs/argon2'

/** 19 MiB, two passes, one lane: the floor OWASP gives for argon2id. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const
const atATime = 2

let running = 0
const waiting: (() => void)[] = []

/** Hashing runs in the thread pool; bounded, or a burst would starve file work and take memory. */
async function bounded<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atATime) await new Promise<void>((resolve) => waiting.push(resolve))
  else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

/** An argon2id hash of a password. */
export const hashPassword = (password: string): Promise<string> => bounded(() => hash(password, cost))

/** Whether a password fits a hash. */
export const passwordFits = (password: string, stored: string): Promise<boolean> =>
  bounded(() => verify(stored, password))
