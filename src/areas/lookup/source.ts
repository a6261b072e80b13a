import type { LookupKind } from '../../contract/lookup.ts'
import type { Context } from '../../runtime/operations/context.ts'

/** A full name or a prefix. */
export type LookupQuery = { readonly name: string } | { readonly prefix: string }

export interface Scope {
  /** Only in this account. */
  readonly account?: string | undefined
  readonly limit: number
}

export interface LookupResult {
  readonly id: string
  readonly name: string
  readonly account_id?: string
  readonly username?: string
}

/** Finds objects of one kind by name, limited to those the actor may see. */
export type LookupSource = (ctx: Context, query: LookupQuery, scope: Scope) => readonly LookupResult[]

declare module '../../runtime/areas/area.ts' {
  interface Area {
    /** The sources of `lookup`, by kind. */
    readonly lookup?: { readonly [K in LookupKind]?: LookupSource }
  }
}
