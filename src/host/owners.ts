import type { Group, Owner } from './spec.ts'

/** The ids of an owner. */
export interface Ids {
  readonly uid: number
  readonly gid: number
}

/** Who owns what is made; without an answer it is whoever makes it. */
export type Owners = (spec: { readonly uid: Owner; readonly gid: Group }) => Ids
