import { timingSafeEqual } from 'node:crypto'

/** Compares secrets in constant time. Their length is not secret. */
export function sameSecret(one: string, other: string): boolean {
  const [kept, given] = [Buffer.from(one), Buffer.from(other)]
  return kept.length === given.length && timingSafeEqual(kept, given)
}
