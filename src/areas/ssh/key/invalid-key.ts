import { invalid, type Problem } from '../../../contract/problem.ts'

/** 400 for a key, without repeating its text: it may be a private one. */
export const invalidKey = (message: string): Problem => invalid('public_key', message)
