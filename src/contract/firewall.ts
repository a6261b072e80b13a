import { z } from 'zod'
import { firewallServiceNames } from '../shared/firewall.ts'
import { component, Id, Millis } from './common.ts'
import { operation } from './operation.ts'

export const firewallActions = ['allow', 'deny'] as const
export const firewallProtocols = ['tcp', 'udp'] as const

const Port = z.int().min(1).max(65_535)
const service = z.enum(firewallServiceNames)
const proto = z.enum(firewallProtocols)

export const FirewallRule = component(
  'FirewallRule',
  z.strictObject({
    id: Id,
    action: z.enum(firewallActions),
    port: z.int().optional(),
    service: service.optional(),
    proto,
    from: z.string().optional().describe('The network that it is about; absent: all addresses'),
    comment: z.string().optional(),
    status: z.enum(['active', 'adding', 'deleting']).describe('adding, deleting: until `revert_at`, unless confirmed'),
    revert_at: Millis.optional().describe('When the change is undone unless it is confirmed'),
    created_at: Millis,
  }),
)

const OpenPort = component(
  'FirewallPort',
  z.strictObject({
    ports: z.string().describe('A port, or a range of ports'),
    proto,
    service: z.string().describe('The service that needs it'),
    access: z.enum(['all', 'some', 'none']).describe('Who reaches it; some: rules name networks'),
  }),
)

const Listener = component(
  'FirewallListener',
  z.strictObject({
    port: z.int(),
    proto,
    address: z.string(),
    program: z.string().optional(),
    open: z.boolean().describe('Whether the firewall lets anybody reach it'),
  }),
)

const ForeignChain = component(
  'FirewallForeignChain',
  z.strictObject({
    chain: z.string().describe('Family, table and chain'),
    policy: z.string(),
    rules: z.int(),
  }),
)

export const Firewall = component(
  'Firewall',
  z.strictObject({
    enabled: z.boolean().describe('Whether `panel host setup --firewall` has set it up'),
    revert_at: Millis.optional().describe('When the change that waits is undone, unless it is confirmed'),
    ports: z.array(OpenPort).describe('Ports of services'),
    rules: z.array(FirewallRule),
    listening: z.array(Listener).describe('What listens for other machines and belongs to no service of the panel'),
    foreign: z.array(ForeignChain).describe('Chains of others that judge incoming packets'),
  }),
)

const root = { area: 'firewall', allow: {}, token: { admin: ['server'], account: 'none' } } as const
const accepted = {
  status: 202,
  answer: component(
    'FirewallAccepted',
    z.strictObject({
      rule: FirewallRule,
      revert_at: Millis.describe('When the change is undone unless it is confirmed'),
      job_id: Id.describe('The job that applies it'),
    }),
  ),
  emits: ['job.completed', 'job.failed'],
  job: 'host.firewall',
} as const
const ruleColumns = ['id', 'action', 'port', 'service', 'proto', 'from', 'comment', 'status', 'revert_at'] as const
const trial =
  'It is undone after 60 seconds, even with the server and its agent dead, unless it is confirmed in time from a new connection. One change can wait at a time. Open connections stay open.'

export const getFirewall = operation({
  ...root,
  id: 'getFirewall',
  host: true,
  method: 'get',
  path: '/firewall',
  summary: 'Show the firewall',
  description:
    'Open ports with the service that needs each, the rules, what else listens, and chains of others that judge incoming packets. A rule for a smaller network comes before one for a larger; of equal ones, the one that denies.',
  status: 200,
  answer: Firewall,
  cli: {
    words: ['firewall', 'show'],
    columns: ['enabled', 'revert_at'],
    sections: [
      { field: 'ports', columns: ['ports', 'proto', 'service', 'access'] },
      { field: 'rules', columns: ['id', 'action', 'port', 'service', 'proto', 'from', 'status', 'comment'] },
      { field: 'listening', columns: ['port', 'proto', 'address', 'program', 'open'] },
      { field: 'foreign', columns: ['chain', 'policy', 'rules'] },
    ],
    examples: ['panel firewall show'],
  },
})

export const addFirewallRule = operation({
  ...root,
  id: 'addFirewallRule',
  sensitive: 'agents',
  method: 'post',
  path: '/firewall/rules',
  summary: 'Open or close a port',
  description: trial,
  body: component(
    'AddFirewallRule',
    z.strictObject({
      action: z.enum(firewallActions).describe('Whether to let packets in'),
      port: Port.optional().describe('The port, unless a service is named'),
      service: service.optional().describe('All ports of a service, instead of a port'),
      proto: proto.optional().describe('tcp by default'),
      from: z
        .string()
        .min(2)
        .max(49)
        .optional()
        .describe('Only from this address or network, such as 203.0.113.0/24; all if absent'),
      comment: z
        .string()
        .min(1)
        .max(200)
        .regex(/^\P{Cc}*$/u, 'must not contain control characters')
        .optional()
        .describe('What it is for'),
    }),
  ),
  ...accepted,
  problems: ['busy', 'exists', 'too-many', 'not-configured'],
  cli: {
    words: ['firewall', 'allow'],
    verbs: { field: 'action', values: firewallActions },
    args: ['port'],
    columns: ruleColumns,
    show: 'rule',
    trial: '/firewall/confirm',
    examples: [
      'panel firewall allow 8443 --comment Backups',
      'panel firewall allow --service mysql --from 203.0.113.0/24',
      'panel firewall deny 22 --confirm',
    ],
  },
})

export const deleteFirewallRule = operation({
  ...root,
  id: 'deleteFirewallRule',
  sensitive: 'agents',
  method: 'delete',
  path: '/firewall/rules/{rid}',
  summary: 'Delete a rule of the firewall',
  description: trial,
  params: z.strictObject({ rid: Id.describe('The rule') }),
  ...accepted,
  problems: ['busy', 'not-configured'],
  cli: {
    words: ['firewall', 'delete'],
    columns: ruleColumns,
    show: 'rule',
    trial: '/firewall/confirm',
    examples: ['panel firewall delete 01J8Z0M4T9Q2W7E5R6Y1U3I0P8'],
  },
})

export const confirmFirewall = operation({
  ...root,
  id: 'confirmFirewall',
  sensitive: 'agents',
  method: 'post',
  path: '/firewall/confirm',
  summary: 'Keep the change of the firewall that waits',
  description:
    'From a connection that was opened after the change: that it can be opened is the proof. Nothing waits: 404.',
  status: 204,
  host: true,
  problems: ['not-found'],
  cli: { words: ['firewall', 'confirm'], examples: ['panel firewall confirm'] },
})
