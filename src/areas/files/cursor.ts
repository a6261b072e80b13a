import { timingSafeEqual } from 'node:crypto'
import { invalid } from '../../contract/problem.ts'
import type { OfAccount } from './of-account.ts'

const macBytes = 16

const macOf = ({ runtime, found }: OfAccount, name: Buffer): Buffer =>
  Buffer.from(runtime.fingerprint('file cursor', `${found.account.id}\n${name.toString('base64')}`), 'hex').subarray(
    0,
    macBytes,
  )

/** A page's last name, authenticated. Names are bytes in base64. */
export function cursorOf(ctx: OfAccount, name: string): string {
  const bytes = Buffer.from(name, 'base64')
  return Buffer.concat([macOf(ctx, bytes), bytes]).toString('base64url')
}

/** The name in a cursor; 400 if it is forged or of another account. */
export function nameIn(ctx: OfAccount, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url')
  const [mac, name] = [bytes.subarray(0, macBytes), bytes.subarray(macBytes)]
  if (mac.length < macBytes || !timingSafeEqual(mac, macOf(ctx, name)))
    throw invalid('cursor', 'is not a cursor returned by this list')
  return name.toString('base64')
}
