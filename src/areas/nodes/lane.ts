import { localNode } from '../../shared/node-name.ts'

/** One change of what a node itself serves at a time; a node that is down holds up no other. */
export const laneOf = (node: string): string => (node === localNode ? 'server:names' : `server:${node}`)
