import type { Group, Owner } from './spec.ts'

/** The ids of an owner. */
export interface Ids {
  readonly uid: number
  readonly gid: number
}

/** The owner of new files; by default the user of this process. */
export type Owners = (spec: { readonly uid: Owner; readonly gid: Group }) => Ids
