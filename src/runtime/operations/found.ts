import type { Context } from './context.ts'

/** The objects that API paths name, by path; areas add theirs by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging fills it
export interface FoundObjects {}

/** The prefixes of a path that name an object: those that end in a parameter. */
export type ObjectPaths<Path extends string, Before extends string = ''> = Path extends `${infer Part}}${infer Rest}`
  ? `${Before}${Part}}` | ObjectPaths<Rest, `${Before}${Part}}`>
  : never

type ParamOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamOf<Rest> : never

type Each<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer All) => void ? All : never
type NamedObject<Path> = Path extends keyof FoundObjects ? FoundObjects[Path] : never

/** Every object that a path names: for `/accounts/{id}/tokens/{tid}` the account and the token. */
export type FoundOn<Path extends string> = Each<NamedObject<ObjectPaths<Path>>>

/** Look up the objects of paths with the actor; throw `not-found` for unknown ones and those of others. */
export type Finders = {
  readonly [Path in keyof FoundObjects]?: (
    ctx: Context,
    params: Readonly<Record<ParamOf<Path>, string>>,
  ) => FoundObjects[Path]
}
