import type { FilesFromAfar } from '../../host/client.ts'
import type { OfAccount } from '../files/of-account.ts'
import { cursorOf, placeIn } from './cursor.ts'

interface Asked {
  readonly file: string
  readonly cursor?: string
  readonly limit: number
  readonly q?: string
  readonly secrets?: readonly string[]
}

/** The end of an account's log, or what was added since a cursor. */
export async function tailPage(ctx: OfAccount, files: FilesFromAfar, asked: Asked, signal: AbortSignal) {
  const { file, limit, cursor, q, secrets } = asked
  const log = { account: ctx.found.account.id, file }
  const since = cursor === undefined ? {} : { since: placeIn(ctx.runtime, log, cursor) }
  const wanted = { file, limit, ...(q !== undefined && { q }), ...(secrets && { secrets }) }
  const page = await files.act('tailLog', { ...wanted, ...since }, { signal })
  const next = cursorOf(ctx.runtime, log, page.next)
  return { items: page.lines.map((text) => ({ text })), next, ...(page.gap && { gap: true as const }) }
}
