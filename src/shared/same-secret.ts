import { timingSafeEqual } from 'node:crypto'

/** Whether two secrets are the same, in a time that does not tell where they differ. Their length is not secret. */
export function sameSecret(one: string, other: string): boolean {
  const [kept, given] = [Buffer.from(one), Buffer.from(other)]
  return kept.length === given.length && timingSafeEqual(kept, given)
}
