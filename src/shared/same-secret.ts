import { timingSafeEqual } from 'node:crypto'

/** Compares secrets in constant time. Their length is not secret. */
export function sameSecret(one: string, other: string): boolean {
  const [expected, actual] = [Buffer.from(one), Buffer.from(other)]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
