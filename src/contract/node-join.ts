import { z } from 'zod'
import { component, Id, Millis } from './common.ts'
import { NodeLabel, NodeName, nodeRoles } from './node-names.ts'
import { Node } from './nodes.ts'
import { operation } from './operation.ts'

const params = z.strictObject({ id: Id.describe('The node') })
const root = { area: 'nodes', allow: {}, token: { admin: ['server'], account: 'none' } } as const

const Joining = component(
  'JoiningNode',
  z.strictObject({
    join_line: z
      .string()
      .describe('What to run as root on the new machine; it holds a secret that works once, and is shown only once'),
    join_expires_at: Millis.describe('When the line stops working, after 15 minutes'),
    node: Node,
  }),
)

export const createNode = operation({
  ...root,
  id: 'createNode',
  method: 'post',
  path: '/nodes',
  summary: 'Create a node, and get the join line for its machine',
  description:
    'The first node opens the port that nodes connect to, 7712. The line has the first address of the setting `control_addresses`, or else the name of the server.',
  body: component(
    'CreateNode',
    z.strictObject({
      name: NodeName,
      roles: z
        .array(z.enum(nodeRoles))
        .min(1)
        .max(nodeRoles.length)
        .optional()
        .describe('What it is for; web, db and mail by default'),
      labels: z.array(NodeLabel).max(16).optional().describe('What packages can ask for'),
    }),
  ),
  status: 201,
  answer: Joining,
  secret: true,
  sensitive: true,
  problems: ['exists', 'not-configured'],
  cli: {
    words: ['nodes', 'create'],
    args: ['name'],
    show: 'join_line',
    examples: ['panel nodes create web2 --roles web,db,mail', 'panel nodes create ns2 --roles dns-secondary'],
  },
})

export const renewNodeJoin = operation({
  ...root,
  id: 'renewNodeJoin',
  method: 'post',
  path: '/nodes/{id}/renew-join',
  summary: 'Get another join line for a node',
  description:
    "The previous line stops working. A machine that joins with the new one replaces the node's machine, and the node's accounts are created on it; their files come from backups.",
  params,
  status: 200,
  answer: Joining,
  secret: true,
  sensitive: true,
  emits: [],
  problems: ['in-use', 'not-configured'],
  cli: { words: ['nodes', 'renew-join'], show: 'join_line', examples: ['panel nodes renew-join web2'] },
})

export const revokeNode = operation({
  ...root,
  id: 'revokeNode',
  method: 'post',
  path: '/nodes/{id}/revoke',
  summary: "Revoke a node's certificate",
  description:
    'Its link and streams end at once, and it can connect again only after it has rejoined. Its data stays on it, and its jobs wait.',
  params,
  status: 200,
  answer: Node,
  sensitive: true,
  emits: [],
  problems: ['in-use'],
  cli: {
    words: ['nodes', 'revoke'],
    confirm: 'yes',
    columns: ['name', 'state', 'reason', 'accounts'],
    examples: ['panel nodes revoke web2 --yes'],
  },
})
