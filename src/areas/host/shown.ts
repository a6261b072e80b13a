import { localNode } from '../../shared/node-name.ts'

/** Where something is, unless it is on the control plane's own node. */
export const nodeIn = (node: string): { node?: string } => (node === localNode ? {} : { node })
