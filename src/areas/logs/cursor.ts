import { timingSafeEqual } from 'node:crypto'
import { invalid } from '../../contract/problem.ts'
import type { TailPlace } from '../../host/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** The log of a cursor. */
export interface Log {
  readonly account: string
  readonly file: string
}

const macOf = (runtime: Runtime, { account, file }: Log, place: string): string =>
  runtime.fingerprint('log cursor', [account, file, place].join('\n')).slice(0, 32)

/** A position in a log, authenticated. */
export function cursorOf(runtime: Runtime, log: Log, { file, offset, born }: TailPlace): string {
  const place = [file, offset, ...(born === undefined ? [] : [born])].join('.')
  return Buffer.from(`${place}.${macOf(runtime, log, place)}`).toString('base64url')
}

/** The position in a cursor; 400 if it is forged or of another log. */
export function placeIn(runtime: Runtime, log: Log, cursor: string): TailPlace {
  const [, place = '', mac] =
    /^(\d{1,20}\.\d{1,16}(?:\.\d{1,20})?)\.([0-9a-f]{32})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ??
    []
  const right = mac && timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(runtime, log, place)))
  if (!right) throw invalid('cursor', 'is not a cursor of this log')
  const [file, offset, born] = place.split('.')
  return { file: file!, offset: Number(offset), ...(born !== undefined && { born }) }
}
