import { localNode } from '../../shared/node-name.ts'

/** Serializes changes to what a node itself serves; a node that is down blocks no other. */
export const laneOf = (node: string): string => (node === localNode ? 'server:names' : `server:${node}`)
