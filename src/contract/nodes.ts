import { z } from 'zod'
import { component, Id, listOf, Millis, pageOf, paging, search } from './common.ts'
import { NodeLabel, NodeName, nodeRoles } from './node-names.ts'
import { operation } from './operation.ts'

export const nodeStates = ['joining', 'active', 'draining', 'down', 'incompatible', 'retired'] as const

const Roles = z
  .array(z.enum(nodeRoles))
  .min(1)
  .max(5)
  .describe('What it does for accounts; those with web, db and mail take accounts')
const Labels = z.array(NodeLabel).max(16).describe('What packages can ask for')
const Addresses = z
  .array(z.string().min(1).max(253))
  .max(8)
  .describe('Its own IP addresses or host names; monitoring uses the first')

/** A machine of the fleet. `local` runs the control plane. */
export const Node = component(
  'Node',
  z.strictObject({
    id: Id,
    name: NodeName,
    roles: Roles,
    labels: Labels,
    addresses: Addresses,
    state: z
      .enum(nodeStates)
      .describe(
        '`draining`: takes no new accounts; `down`: it does not answer, so its jobs wait; `retired`: kept by name alone',
      ),
    reason: z
      .string()
      .optional()
      .describe('Why it is down, incompatible or given up, or what else is wrong with it, in one sentence'),
    draining: z.boolean().optional().describe('True where it is down or incompatible and takes no new accounts either'),
    accounts: z.int().min(0),
    disk_free_mb: z
      .int()
      .min(0)
      .optional()
      .describe('Free disk space as it last reported, in MB; of `local` where there are other nodes'),
    version: z.string().optional().describe('Of its program'),
    last_seen: Millis.optional(),
    certificate_expires_at: Millis.optional(),
    created_at: Millis,
    joined_at: Millis.optional(),
  }),
)

const root = { area: 'nodes', allow: {}, token: { admin: ['server'], account: 'none' } } as const
const params = z.strictObject({ id: Id.describe('The node') })
const columns = ['name', 'roles', 'state', 'accounts', 'last_seen', 'version'] as const
const visible = [
  'id',
  'name',
  'roles',
  'labels',
  'addresses',
  'state',
  'draining',
  'reason',
  'accounts',
  'disk_free_mb',
  'version',
  'last_seen',
  'certificate_expires_at',
  'joined_at',
] as const

export const listNodes = operation({
  ...root,
  id: 'listNodes',
  method: 'get',
  path: '/nodes',
  summary: 'List nodes',
  query: z.strictObject({ ...paging, q: search('name') }),
  status: 200,
  answer: pageOf(Node),
  cli: { words: ['nodes', 'list'], columns, examples: ['panel nodes list'] },
})

export const getNode = operation({
  ...root,
  id: 'getNode',
  method: 'get',
  path: '/nodes/{id}',
  summary: 'Show a node',
  params,
  status: 200,
  answer: Node,
  cli: { words: ['nodes', 'show'], columns: visible, examples: ['panel nodes show web2'] },
})

export const updateNode = operation({
  ...root,
  id: 'updateNode',
  method: 'patch',
  path: '/nodes/{id}',
  summary: 'Change the roles, labels, state or addresses of a node',
  description:
    'A node with accounts must keep the roles web, db and mail, and can be retired only once it has none, unless its machine is lost: then `lost` gives up the node and its accounts. Retiring revokes its certificate, and its jobs fail. Accounts on a node that was given up can be terminated without their machine. A list replaces the previous one.',
  params,
  body: component(
    'UpdateNode',
    z.strictObject({
      roles: Roles.optional(),
      labels: Labels.optional(),
      addresses: Addresses.optional(),
      state: z.enum(['active', 'draining', 'retired']).optional(),
      lost: z
        .boolean()
        .optional()
        .describe(
          'Retire it although it has accounts: its machine and data are lost for good. Only together with state `retired`',
        ),
    }),
  ),
  status: 200,
  answer: Node,
  problems: ['in-use', 'incomplete'],
  cli: {
    words: ['nodes', 'update'],
    columns: visible,
    emptied: ['labels', 'addresses'],
    confirm: 'yes',
    confirmWhen: { field: 'lost', value: true, question: 'Declare the node {} lost' },
    examples: [
      'panel nodes update web2 --labels ssd --addresses 192.0.2.12',
      'panel nodes update web2 --state retired --lost --yes',
    ],
  },
})

export const drainNode = operation({
  ...root,
  id: 'drainNode',
  method: 'post',
  path: '/nodes/{id}/drain',
  summary: 'Give a node no new accounts',
  description: 'Existing accounts stay, and work as before.',
  params,
  status: 200,
  answer: Node,
  problems: ['incomplete'],
  cli: { words: ['nodes', 'drain'], columns: visible, examples: ['panel nodes drain web2'] },
})

export const activateNode = operation({
  ...root,
  id: 'activateNode',
  method: 'post',
  path: '/nodes/{id}/activate',
  summary: 'Give a node new accounts again',
  params,
  status: 200,
  answer: Node,
  problems: ['incomplete'],
  cli: { words: ['nodes', 'activate'], columns: visible, examples: ['panel nodes activate web2'] },
})

export const deleteNode = operation({
  ...root,
  id: 'deleteNode',
  method: 'delete',
  path: '/nodes/{id}',
  summary: 'Delete a node that no account is on',
  description: 'Its link is closed, and its certificate stops working. Nothing on the machine itself is changed.',
  params,
  query: z.strictObject({
    confirm: z.string().max(63).optional().describe("The node's name, to confirm the deletion"),
  }),
  status: 204,
  problems: ['in-use'],
  cli: { words: ['nodes', 'delete'], confirm: 'name', examples: ['panel nodes delete web2 --confirm web2'] },
})

const Orphan = component(
  'NodeOrphan',
  z.strictObject({ id: Id, username: z.string().optional().describe('As the node calls it') }),
)

export const listNodeOrphans = operation({
  ...root,
  host: true,
  id: 'listNodeOrphans',
  method: 'get',
  path: '/nodes/{id}/orphans',
  summary: 'List accounts on a node that the store does not know',
  description:
    'Such as those created after the backup that was restored. The first hundred; their data is never deleted.',
  params,
  status: 200,
  answer: listOf(Orphan),
  problems: ['incomplete'],
  cli: { words: ['nodes', 'orphans'], columns: ['id', 'username'], examples: ['panel nodes orphans web2'] },
})

export const getNodeTargets = operation({
  ...root,
  id: 'getNodeTargets',
  method: 'get',
  path: '/nodes/targets',
  summary: 'List nodes for HTTP service discovery of Prometheus',
  description:
    'The first address of each node that has joined, with the port of its exporter. Always 200, and an empty list where no node has an address.',
  query: z.strictObject({
    port: z.int().min(1).max(65_535).optional().describe('Of the exporter on each node; 9100 by default'),
  }),
  status: 200,
  answer: z.array(
    component('NodeTarget', z.strictObject({ targets: z.array(z.string()), labels: z.record(z.string(), z.string()) })),
  ),
  cli: {
    words: ['nodes', 'targets'],
    columns: ['targets', 'labels.node', 'labels.roles'],
    examples: ['panel nodes targets', 'panel nodes targets --output json'],
  },
})

export const getPlacement = operation({
  ...root,
  id: 'getPlacement',
  method: 'get',
  path: '/nodes/placement',
  summary: 'Show where a new account of a package would go, and why not elsewhere',
  query: z.strictObject({ package_id: Id.optional().describe('Package; `default` by default') }),
  status: 200,
  answer: component(
    'NodePlacement',
    z.strictObject({
      node: NodeName.optional().describe('Where it would go; absent where no node can take it'),
      items: z.array(
        component(
          'NodeCandidate',
          z.strictObject({
            node: NodeName,
            accounts: z.int().min(0),
            chosen: z.boolean().optional().describe('True of the one that it would go to'),
            reason: z.string().optional().describe('Why it cannot take the account'),
          }),
        ),
      ),
    }),
  ),
  cli: {
    words: ['nodes', 'placement'],
    rows: 'items',
    columns: ['node', 'accounts', 'chosen', 'reason'],
    examples: ['panel nodes placement --package small'],
  },
})
