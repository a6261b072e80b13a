import type { World } from '../world.ts'
import { compareRead } from './read.ts'

/** Pages of accounts. */
export const measure = async ({ big }: World) => [
  await compareRead('list of 50 of 100,000 accounts', big, '/accounts?per_page=50'),
  // More than 200 items cost units of the caller's allowance, which a round of this does not use up.
  await compareRead('list of 500 of 100,000 accounts', big, '/accounts?per_page=500'),
]
