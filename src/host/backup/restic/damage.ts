import { HostError } from '../../error.ts'

/** What restic says of bytes that are not as it wrote them, and not of a way that is closed for now. */
const damaged =
  /ciphertext verification failed|invalid data|wrong (?:size|data)|hash|not found in|does not exist|cannot find/i

export const isDamage = (error: unknown): boolean => error instanceof HostError && damaged.test(error.message)
