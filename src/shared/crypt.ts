import type { createHash } from 'node:crypto'

/**
 * The hash of crypt(3) for a password with the setting of another one: SHA512 (`$6$`), SHA256 (`$5$`) and MD5 (`$1$`).
 * Undefined for other forms. Self-contained, so that a thread can be started from its source text alone.
 */
export function cryptLike(password: string, setting: string, hash: typeof createHash): string | undefined {
  const parts = /^\$([156])\$(?:rounds=(\d{1,9})\$)?([^$]{1,16})(?:\$|$)/.exec(setting)
  if (!parts) return undefined
  const [, kind, rounds, salt] = parts as unknown as [string, string, string | undefined, string]
  const letters = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const text = (value: number, length: number): string =>
    Array.from({ length }, (_, at) => letters[(value >> (6 * at)) & 63]).join('')
  const groupOf = (sum: Buffer, order: readonly number[]): string =>
    text((sum[order[0]!]! << 16) | (sum[order[1]!]! << 8) | sum[order[2]!]!, 4)
  const filled = (length: number, from: Buffer): Buffer => Buffer.alloc(length, from)
  const [key, salted] = [Buffer.from(password), Buffer.from(salt)]

  const md5 = (): string => {
    const digest = (...all: Buffer[]): Buffer => hash('md5').update(Buffer.concat(all)).digest()
    const first = digest(key, salted, key)
    const bits: Buffer[] = []
    for (let left = key.length; left > 0; left >>= 1) bits.push(left & 1 ? Buffer.alloc(1) : key.subarray(0, 1))
    let sum = digest(key, Buffer.from('$1$'), salted, filled(key.length, first), ...bits)
    for (let round = 0; round < 1000; round++) {
      const own: Buffer[] = [round & 1 ? key : sum]
      if (round % 3) own.push(salted)
      if (round % 7) own.push(key)
      own.push(round & 1 ? sum : key)
      sum = digest(...own)
    }
    const orders = [
      [0, 6, 12],
      [1, 7, 13],
      [2, 8, 14],
      [3, 9, 15],
      [4, 10, 5],
    ]
    return `$1$${salt}$${orders.map((order) => groupOf(sum, order)).join('')}${text(sum[11]!, 2)}`
  }

  const sha = (): string => {
    const [name, size] = kind === '6' ? ['sha512', 64] : ['sha256', 32]
    const digest = (...all: Buffer[]): Buffer =>
      hash(name as string)
        .update(Buffer.concat(all))
        .digest()
    const first = digest(key, salted, key)
    const bits: Buffer[] = []
    for (let left = key.length; left > 0; left >>= 1) bits.push(left & 1 ? first : key)
    let sum = digest(key, salted, filled(key.length, first), ...bits)
    const p = filled(key.length, digest(...Array(key.length).fill(key)))
    const s = filled(salted.length, digest(...Array(16 + sum[0]!).fill(salted)))
    const count = rounds === undefined ? 5000 : Math.min(Math.max(Number(rounds), 1000), 999_999_999)
    for (let round = 0; round < count; round++) {
      const own: Buffer[] = [round & 1 ? p : sum]
      if (round % 3) own.push(s)
      if (round % 7) own.push(p)
      own.push(round & 1 ? sum : p)
      sum = digest(...own)
    }
    const third = size === 64 ? 21 : 10
    const turns =
      size === 64
        ? [
            [0, 1, 2],
            [1, 2, 0],
            [2, 0, 1],
          ]
        : [
            [0, 1, 2],
            [2, 0, 1],
            [1, 2, 0],
          ]
    const groups = Array.from({ length: third }, (_, at) =>
      groupOf(
        sum,
        turns[at % 3]!.map((from) => from * third + at),
      ),
    )
    const last = size === 64 ? text(sum[63]!, 2) : text((sum[31]! << 8) | sum[30]!, 3)
    return `$${kind}$${rounds === undefined ? '' : `rounds=${count}$`}${salt}$${groups.join('')}${last}`
  }

  return kind === '1' ? md5() : sha()
}

/** SHA512-CRYPT with 5,000 rounds, like `openssl passwd -6`. */
export const sha512Crypt = (password: string, salt: string, hash: typeof createHash): string =>
  cryptLike(password, `$6$${salt}`, hash)!
