import type { createHash } from 'node:crypto'

/**
 * SHA512-CRYPT with 5,000 rounds, like crypt(3) and `openssl passwd -6`. Self-contained, so that a thread can be
 * started from its source text alone.
 */
export function sha512Crypt(password: string, salt: string, hash: typeof createHash): string {
  const digest = (...parts: Buffer[]) => hash('sha512').update(Buffer.concat(parts)).digest()
  const filled = (length: number, from: Buffer) => Buffer.alloc(length, from)
  const [key, salted] = [Buffer.from(password), Buffer.from(salt)]
  const first = digest(key, salted, key)
  const bits: Buffer[] = []
  for (let left = key.length; left > 0; left >>= 1) bits.push(left & 1 ? first : key)
  let sum = digest(key, salted, filled(key.length, first), ...bits)
  const p = filled(key.length, digest(...Array(key.length).fill(key)))
  const s = filled(salted.length, digest(...Array(16 + sum[0]!).fill(salted)))
  for (let round = 0; round < 5000; round++) {
    const parts = [round & 1 ? p : sum]
    if (round % 3) parts.push(s)
    if (round % 7) parts.push(p)
    parts.push(round & 1 ? sum : p)
    sum = digest(...parts)
  }
  const letters = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const text = (value: number, length: number) =>
    Array.from({ length }, (_, at) => letters[(value >> (6 * at)) & 63]).join('')
  const orders = [
    [0, 21, 42],
    [21, 42, 0],
    [42, 0, 21],
  ] as const
  const groups = Array.from({ length: 21 }, (_, at) => {
    const [high, middle, low] = orders[at % 3]!.map((from) => sum[from + at]!) as [number, number, number]
    return text((high << 16) | (middle << 8) | low, 4)
  })
  return `$6$${salt}$${groups.join('')}${text(sum[63]!, 2)}`
}
