import { or, type SQL, sql } from 'drizzle-orm'
import type { AccountArea } from '../../contract/common.ts'
import { kindsOfArea } from '../../contract/jobs.ts'
import type { Actor } from '../../runtime/actor.ts'
import { inScope, requireScope } from '../../runtime/authorize.ts'
import type { Context } from '../../runtime/context.ts'
import { jobs } from '../../runtime/tables.ts'

const areas = Object.entries(kindsOfArea) as [AccountArea, readonly string[]][]

const firstWord = (kind: string): string => kind.slice(0, kind.indexOf('.'))

/** The areas whose tokens may access jobs of a kind. */
const areasOfKind = (kind: string): AccountArea[] => [
  'account',
  ...areas.filter(([, words]) => words.includes(firstWord(kind))).map(([area]) => area),
]

/** 403 `token-scope` for an account token without an area that starts jobs of this kind. */
export function refuseBeyondToken({ actor, op }: Context, kind: string): void {
  if (op && actor.token?.kind === 'account') requireScope(op, actor.token, areasOfKind(kind))
}

/** Limits a list to the jobs that an account token may see; undefined means all of the account. */
export function withinToken({ token }: Actor): SQL | undefined {
  if (token?.kind !== 'account' || inScope(token, 'account', true)) return undefined
  const words = areas.filter(([area]) => inScope(token, area, true)).flatMap(([, words]) => words)
  return or(...words.map((word) => sql`${jobs.kind} GLOB ${`${word}.*`}`))
}
