import { localNode } from '../../shared/node-name.ts'

/** The node of something, unless it is the control plane's own. */
export const nodeIn = (node: string): { node?: string } => (node === localNode ? {} : { node })
