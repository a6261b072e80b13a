import { hash, verify } from '@node-rs/argon2'
import { overloaded } from '../contract/problem.ts'

/** 19 MiB, two passes, one lane: the floor OWASP gives for argon2id. */
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const
const atATime = 2
/** Some seconds of work: whoever came later would give up before its turn. */
const mostWaiting = 1000

let running = 0
const waiting: (() => void)[] = []

/** Hashing runs in the thread pool; bounded, or a burst would starve file work and take memory. 503 `overloaded` beyond. */
async function bounded<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= mostWaiting) throw overloaded('Too many passwords wait to be checked; try again in a moment.')
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

/** How many passwords wait for their turn. */
export const passwordsWaiting = (): number => waiting.length

/** An argon2id hash of a password. */
export const hashPassword = (password: string): Promise<string> => bounded(() => hash(password, cost))

/** Whether a password fits a hash. */
export const passwordFits = (password: string, stored: string): Promise<boolean> =>
  bounded(() => verify(stored, password))
