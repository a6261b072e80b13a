import type { World } from '../world.ts'
import { compareRead } from './read.ts'

/** What a token is, asked with it: little more than its check. */
export const measure = async ({ big }: World) => [await compareRead('token check', big, '/token')]
