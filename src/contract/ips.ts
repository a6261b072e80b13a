import { z } from 'zod'
import { component, Id, Millis, pageOf, paging, search } from './common.ts'
import { operation } from './operation.ts'

/** An IP address accounts can have. */
export const Ip = component(
  'Ip',
  z.strictObject({
    id: Id,
    address: z.string(),
    version: z.union([z.literal(4), z.literal(6)]),
    kind: z.enum(['shared', 'dedicated']),
    main: z.boolean().describe('Given to new accounts by default'),
    account_count: z.int().min(0),
    created_at: Millis,
  }),
)

const root = { allow: {}, token: { admin: ['server'], account: 'none' } } as const
const params = z.strictObject({ id: Id.describe('The IP address') })
const columns = ['address', 'kind', 'main', 'account_count'] as const

export const listIps = operation({
  id: 'listIps',
  method: 'get',
  path: '/ips',
  area: 'ips',
  summary: 'List IP addresses',
  query: z.strictObject({
    ...paging,
    q: search('address'),
  }),
  status: 200,
  answer: pageOf(Ip),
  ...root,
  cli: { words: ['ips', 'list'], columns, examples: ['panel ips list'] },
})

export const createIp = operation({
  id: 'createIp',
  method: 'post',
  path: '/ips',
  area: 'ips',
  summary: 'Add an IP address',
  body: component(
    'CreateIp',
    z.strictObject({
      address: z.string().min(2).max(45).describe('IPv4 or IPv6 address'),
      kind: z.enum(['shared', 'dedicated']).optional().describe('For many accounts or for one; shared by default'),
    }),
  ),
  status: 201,
  answer: Ip,
  ...root,
  problems: ['exists'],
  cli: {
    words: ['ips', 'create'],
    args: ['address'],
    columns,
    examples: ['panel ips create 192.0.2.10 --kind dedicated'],
  },
})

export const getIp = operation({
  id: 'getIp',
  method: 'get',
  path: '/ips/{id}',
  area: 'ips',
  summary: 'Show an IP address',
  params,
  status: 200,
  answer: Ip,
  ...root,
  cli: { words: ['ips', 'show'], columns, examples: ['panel ips show 127.0.0.1'] },
})

export const deleteIp = operation({
  id: 'deleteIp',
  method: 'delete',
  path: '/ips/{id}',
  area: 'ips',
  summary: 'Remove an IP address that no account uses',
  params,
  status: 204,
  ...root,
  problems: ['in-use'],
  cli: { words: ['ips', 'delete'], confirm: 'yes', examples: ['panel ips delete 192.0.2.10 --yes'] },
})
