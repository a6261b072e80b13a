import type { Context } from './context.ts'

/** What the paths of the API name, by path and then by noun; areas add theirs by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging fills it
export interface Found {}

/** The beginnings of a path that name an object: those that end in a parameter. */
export type ObjectPaths<Path extends string, Before extends string = ''> = Path extends `${infer Part}}${infer Rest}`
  ? `${Before}${Part}}` | ObjectPaths<Rest, `${Before}${Part}}`>
  : never

type ParamOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamOf<Rest> : never

type Each<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void ? All : never
type Named<Path> = Path extends keyof Found ? Found[Path] : never

/** All that a path names: `/accounts/{id}/tokens/{tid}` the account and the token. */
export type FoundOn<Path extends string> = Each<Named<ObjectPaths<Path>>>

/** Looks objects of paths up with the actor; throws `not-found` for one that is unknown or not the actor's. */
export type Finders = {
  readonly [Path in keyof Found]?: (ctx: Context, params: Readonly<Record<ParamOf<Path>, string>>) => Found[Path]
}
