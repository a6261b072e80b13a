import type { World } from '../world.ts'
import { compareRead } from './read.ts'

/** What the command line asks for each name, and what a person types. */
export const measure = async ({ big }: World) => [
  await compareRead('search of a whole name in 100,000', big, `/accounts?q=${big.account.username}&per_page=1`),
  await compareRead('search of a part that 1 in 30 have', big, '/accounts?q=maple'),
  await compareRead('search of two letters that few have', big, '/accounts?q=zq'),
]
