import { z } from 'zod'
import { component, Id, Millis, pageOf, paging, search } from './common.ts'
import { NodeName } from './node-names.ts'
import { operation } from './operation.ts'

/** An external name server that transfers all zones from this server. */
export const DnsPeer = component(
  'DnsPeer',
  z.strictObject({
    id: Id,
    name: NodeName,
    addresses: z.array(z.string()).describe('Where it is notified of changes'),
    created_at: Millis,
  }),
)

const root = { area: 'nodes', allow: {}, token: { admin: ['server'], account: 'none' } } as const
const columns = ['name', 'addresses', 'created_at'] as const

export const listDnsPeers = operation({
  ...root,
  id: 'listDnsPeers',
  method: 'get',
  path: '/nodes/dns-peers',
  summary: 'List name servers that take all zones from this server',
  query: z.strictObject({ ...paging, q: search('name') }),
  status: 200,
  answer: pageOf(DnsPeer),
  cli: { words: ['nodes', 'dns-peer', 'list'], columns, examples: ['panel nodes dns-peer list'] },
})

export const createDnsPeer = operation({
  ...root,
  id: 'createDnsPeer',
  method: 'post',
  path: '/nodes/dns-peers',
  summary: 'Let a name server take all zones from this server',
  description:
    'BIND, Knot DNS, NSD or PowerDNS, by a catalog zone (RFC 9432) and a key (TSIG), which is shown once. A catalog names 10,000 zones, then there is another.',
  body: component(
    'CreateDnsPeer',
    z.strictObject({
      name: NodeName,
      address: z.array(z.string().min(2).max(45)).min(1).max(8).describe('Its IPv4 and IPv6 addresses'),
    }),
  ),
  status: 201,
  answer: component(
    'DnsPeerCreated',
    z.strictObject({
      peer: DnsPeer,
      key: z.strictObject({ name: z.string(), algorithm: z.string(), secret: z.string().describe('In base64') }),
      configuration: z.string().describe('The lines for its configuration, as BIND reads them'),
      job_id: Id.describe('The job that updates the host'),
    }),
  ),
  secret: true,
  sensitive: 'agents',
  job: 'server.apply',
  emits: ['job.completed', 'job.failed'],
  problems: ['exists'],
  cli: {
    words: ['nodes', 'dns-peer', 'create'],
    args: ['name'],
    show: 'configuration',
    examples: ['panel nodes dns-peer create ns2 --address 192.0.2.53'],
  },
})

export const deleteDnsPeer = operation({
  ...root,
  id: 'deleteDnsPeer',
  method: 'delete',
  path: '/nodes/dns-peers/{id}',
  summary: 'Stop a name server from taking zones',
  description: 'Its key stops working. The name server answers with the zones it has until they expire.',
  params: z.strictObject({ id: Id.describe('The name server') }),
  status: 204,
  job: 'server.apply',
  emits: ['job.completed', 'job.failed'],
  cli: { words: ['nodes', 'dns-peer', 'delete'], confirm: 'yes', examples: ['panel nodes dns-peer delete ns2 --yes'] },
})
