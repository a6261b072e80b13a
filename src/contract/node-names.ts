import { z } from 'zod'

/** What a node does for accounts: `web` is files, PHP, FTP, cron, apps and SSH. */
export const nodeRoles = ['web', 'db', 'mail', 'dns', 'dns-secondary'] as const
export type NodeRole = (typeof nodeRoles)[number]

/** A node's name; `local` is the control plane's own. */
export const NodeName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be at most 31 lower-case letters, digits and hyphens, beginning with a letter')

/** Nodes that gave no answer, and why. */
export const Unreachable = z.array(z.strictObject({ node: NodeName, reason: z.string() })).optional()

/** A label that admins give to nodes and packages require. */
export const NodeLabel = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,31}$/, 'must be at most 32 lower-case letters, digits, dots, hyphens and underscores')
