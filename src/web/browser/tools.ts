import { enhance } from './enhance.ts'
import { nodesOf } from './html.ts'
import { partOf, replace } from './part.ts'

/** What modules that come later are given: one policy is all there may be. */
export const tools = { enhance, nodesOf, partOf, replace }
export type Tools = typeof tools
