import { timingSafeEqual } from 'node:crypto'
import { invalid } from '../../contract/problem.ts'
import type { FilesFromAfar } from '../../host/contract/client.ts'
import type { TailPlace } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { OfAccount } from '../files/of-account.ts'

/** The log of a cursor. */
interface Log {
  readonly account: string
  readonly file: string
}

const macOf = (runtime: Runtime, { account, file }: Log, place: string): string =>
  runtime.fingerprint('log cursor', [account, file, place].join('\n')).slice(0, 32)

/** A position in a log, authenticated. */
function cursorOf(runtime: Runtime, log: Log, { file, offset, born }: TailPlace): string {
  const place = [file, offset, ...(born === undefined ? [] : [born])].join('.')
  return Buffer.from(`${place}.${macOf(runtime, log, place)}`).toString('base64url')
}

/** The position in a cursor; 400 if it is forged or of another log. */
function placeIn(runtime: Runtime, log: Log, cursor: string): TailPlace {
  const [, place = '', mac] =
    /^(\d{1,20}\.\d{1,16}(?:\.\d{1,20})?)\.([0-9a-f]{32})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ??
    []
  const right = mac && timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(runtime, log, place)))
  if (!right) throw invalid('cursor', 'is not a cursor of this log')
  const [file, offset, born] = place.split('.')
  return { file: file!, offset: Number(offset), ...(born !== undefined && { born }) }
}

interface TailQuery {
  readonly file: string
  readonly cursor?: string
  readonly limit: number
  readonly q?: string
  readonly secrets?: readonly string[]
}

/** The end of an account's log, or what was added since a cursor. */
export async function tailPage(ctx: OfAccount, files: FilesFromAfar, query: TailQuery, signal: AbortSignal) {
  const { file, limit, cursor, q, secrets } = query
  const log = { account: ctx.found.account.id, file }
  const since = cursor === undefined ? {} : { since: placeIn(ctx.runtime, log, cursor) }
  const input = { file, limit, ...(q !== undefined && { q }), ...(secrets && { secrets }) }
  const page = await files.act('tailLog', { ...input, ...since }, { signal })
  const next = cursorOf(ctx.runtime, log, page.next)
  return { items: page.lines.map((text) => ({ text })), next, ...(page.gap && { gap: true as const }) }
}
