import type { World } from '../world.ts'
import { compareRead } from './read.ts'

/** One account by its id. */
export const measure = async ({ big }: World) => [
  await compareRead('account by id, with a token', big, `/accounts/${big.account.id}`),
]
