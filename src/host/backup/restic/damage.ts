import { HostError } from '../../contract/error.ts'

/** restic's messages about corrupt data, as opposed to an unreachable repository. */
const damaged =
  /ciphertext verification failed|invalid data|wrong (?:size|data)|hash|not found in|does not exist|cannot find/i

export const isDamage = (error: unknown): boolean => error instanceof HostError && damaged.test(error.message)
