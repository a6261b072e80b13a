import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { minute } from '../../../shared/time.ts'
import type { NodeRow } from '../tables.ts'

/** A join line's lifetime. */
export const JOIN_SECRET_TTL_MS = 15 * minute

const hashOf = (secret: string): string => hash('sha256', secret)

/** A 128-bit secret, and what is stored of it. */
export function newSecret(now: number) {
  const secret = randomBytes(16).toString('hex')
  return { secret, stored: { join_secret_hash: hashOf(secret), join_expires_at: now + JOIN_SECRET_TTL_MS } }
}

/** Why a secret is refused; undefined if it is valid. */
export function secretProblem(node: NodeRow | undefined, secret: string, now: number): string | undefined {
  const hashed = Buffer.from(hashOf(secret))
  if (!node?.join_secret_hash || !timingSafeEqual(hashed, Buffer.from(node.join_secret_hash)))
    return 'This join line does not work: each works once, for one node. Get another with `panel nodes renew-join NAME`.'
  if ((node.join_expires_at ?? 0) <= now)
    return `This join line has expired: it works for 15 minutes. Get another with \`panel nodes renew-join ${node.name}\`.`
  return undefined
}

interface SecretLine {
  readonly address: string
  readonly node: string
  readonly secret: string
  readonly pin: string
}

/** The command for the new machine. A shell builtin pipes the secret in: no process has it as an argument. */
export const joinLine = ({ address, node, secret, pin }: SecretLine): string =>
  `echo ${secret} | panel host join ${address} --node ${node} --pin ${pin}`
