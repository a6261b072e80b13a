import type { LookupKind } from '../../contract/lookup.ts'
import type { Context } from '../../runtime/context.ts'

/** What is looked up: a whole name, or how it begins. */
export type Wanted = { readonly name: string } | { readonly prefix: string }

export interface Scope {
  /** Below this account alone. */
  readonly account?: string | undefined
  readonly limit: number
}

export interface Found {
  readonly id: string
  readonly name: string
  readonly account_id?: string
  readonly username?: string
}

/** Finds objects of one kind by name: those that the actor may see. */
export type Source = (ctx: Context, wanted: Wanted, scope: Scope) => readonly Found[]

declare module '../../runtime/area.ts' {
  interface Area {
    /** What `lookup` finds, by kind. */
    readonly lookup?: { readonly [K in LookupKind]?: Source }
  }
}
