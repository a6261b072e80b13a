import type { Group, Owner } from '../parts/spec.ts'

/** An owner's ids. */
export interface Ids {
  readonly uid: number
  readonly gid: number
}

/** The owner of new files; by default this process's user. */
export type Owners = (spec: { readonly uid: Owner; readonly gid: Group }) => Ids
