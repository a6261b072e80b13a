import { z } from 'zod'
import { component, Id, Millis } from './common.ts'
import { NodeName } from './node-names.ts'
import { operation } from './operation.ts'
import { InstalledPhp } from './php.ts'

const node = NodeName.optional()
/** Absent for the control plane's own node. */
const itsNode = node.describe('Absent for `local`')

const OtherNode = component(
  'HostNode',
  z.strictObject({
    node: NodeName,
    status: z.enum(['running', 'unreachable']).describe('`unreachable`: its jobs wait'),
    reason: z.string().optional().describe('Why it cannot be reached'),
    accounts: z.int().min(0),
  }),
)

const Machine = component(
  'HostMachine',
  z.strictObject({
    system: z.string().optional().describe('Such as Debian 13'),
    services: z
      .array(
        z.strictObject({
          name: z.string(),
          unit: z
            .string()
            .optional()
            .describe(
              'Of systemd; where each account has one of its own, the first that does not run, or else their pattern',
            ),
          state: z.string().optional().describe('As systemd says it: active, inactive, failed'),
          version: z.string().optional().describe('Of its Debian package'),
        }),
      )
      .optional()
      .describe('Those that are installed'),
    php: z.array(InstalledPhp).describe('The versions of PHP, as the host last said'),
    queued_mail: z
      .int()
      .min(0)
      .optional()
      .describe("Messages in the mail server's queue; left out where there is none"),
    quota: z
      .enum(['none', 'ext4', 'xfs', 'btrfs'])
      .optional()
      .describe('The file system of homes that enforces disk limits, if it does'),
    cgroup: z
      .union([z.literal(0), z.literal(1), z.literal(2)])
      .optional()
      .describe('The version of control groups; 0: none'),
    unenforced: z
      .array(z.strictObject({ kind: z.enum(['cpu', 'memory', 'tasks', 'io', 'disk', 'inodes']), reason: z.string() }))
      .optional()
      .describe('Kinds of limits that this machine cannot enforce'),
    misconfigured: z
      .array(
        z.strictObject({
          name: z.string(),
          check: z.string().describe('The command line of its own checker'),
          reason: z.string().describe('What that says, with file and line'),
        }),
      )
      .optional()
      .describe('Services that would not start with their configuration as it is'),
  }),
)

const ServerName = component(
  'ServerName',
  z.strictObject({
    name: z.string(),
    use: z.enum(['panel', 'webmail', 'phpmyadmin', 'preview']),
    addresses: z.array(z.string()).describe('What name servers answer'),
    resolves_here: z.boolean().describe('Whether one of them is an address of this machine'),
    record: z.string().describe('What leads the name here, such as `webmail.host.example. A 192.0.2.7`'),
  }),
)

const ServerCertificate = component(
  'ServerCertificate',
  z.strictObject({
    kind: z.enum(['self_signed', 'acme']),
    names: z.array(z.string()),
    not_after: Millis,
    error: z.string().optional().describe('Why the last attempt to have one issued failed, or left out a name'),
    next_attempt_at: Millis.optional(),
  }),
)

const Host = component(
  'Host',
  z.strictObject({
    node: itsNode,
    driver: z
      .enum(['directory', 'debian'])
      .optional()
      .describe(
        '`directory`: files below a directory; `debian`: the machine and its services. Left out of a node that has not connected yet',
      ),
    agent: z.strictObject({
      status: z
        .enum(['idle', 'running', 'unreachable'])
        .describe('`idle`: not started, because nothing needs it; `unreachable`: jobs wait for it'),
      reason: z.string().optional().describe('Why it cannot be reached'),
    }),
    counts: z.strictObject({
      accounts: z.number().int().describe('On this host'),
      suspended: z.number().int(),
    }),
    machine: Machine.optional().describe(
      'With the driver `directory` only what counts as installed; left out where the agent does not say',
    ),
    names: z
      .array(ServerName)
      .optional()
      .describe("The machine's own, with the driver `debian`; left out where name servers do not answer in time"),
    certificate: ServerCertificate.optional().describe('The one of these names; with the driver `debian`'),
    trust_tenants: z
      .boolean()
      .describe("Whether commands and apps of accounts run, as the server's own user: `panel serve --trust-tenants`"),
    unknown_accounts: z
      .array(z.strictObject({ id: Id, username: z.string().optional() }))
      .optional()
      .describe(
        'With `accounts`: those on the host that the server does not know; left out where the agent does not say',
      ),
    nodes: z.array(OtherNode).optional().describe('The other nodes, where there are any and none was asked for'),
  }),
)

export const getHost = operation({
  id: 'getHost',
  method: 'get',
  path: '/host',
  area: 'host',
  summary: 'Show the state of the host',
  description:
    'The host agent is the process that writes the files of accounts on the host. Accounts that were made after a backup stay on the host when it is restored; `accounts` names them, and nothing removes them.',
  query: z.strictObject({
    accounts: z.boolean().optional().describe('Ask the agent for accounts that the server does not know'),
    node: node.describe('Whose host; `local` by default'),
  }),
  status: 200,
  answer: Host,
  allow: {},
  token: { admin: ['server'], account: 'none' },
  cli: {
    words: ['host', 'status'],
    columns: [
      'driver',
      'agent.status',
      'agent.reason',
      'machine.system',
      'machine.quota',
      'machine.cgroup',
      'machine.queued_mail',
      'certificate.kind',
      'certificate.not_after',
      'certificate.error',
      'counts.accounts',
      'counts.suspended',
      'trust_tenants',
    ],
    sections: [
      { field: 'machine.php', columns: ['version', 'default', 'end_of_life', 'extensions'] },
      { field: 'machine.services', columns: ['name', 'unit', 'state', 'version'] },
      { field: 'machine.unenforced', columns: ['kind', 'reason'] },
      { field: 'machine.misconfigured', columns: ['name', 'reason'] },
      { field: 'names', columns: ['name', 'use', 'resolves_here', 'record'] },
      { field: 'unknown_accounts', columns: ['id', 'username'] },
      { field: 'nodes', columns: ['node', 'status', 'accounts', 'reason'] },
    ],
    examples: ['panel host status', 'panel host status --node web2', 'panel host status --accounts --output json'],
  },
})

const Difference = component(
  'HostDifference',
  z.strictObject({
    account_id: Id.optional().describe('Absent of what no account owns'),
    username: z.string().optional(),
    node: itsNode,
    path: z.string().describe('A directory ends in `/`'),
    change: z
      .enum(['missing', 'changed', 'surplus', 'mode', 'moved', 'fault'])
      .describe('`surplus`: to be taken away; `mode`: the same content; `fault`: it cannot be compared'),
    note: z.string().optional(),
  }),
)

const rootOnly = { area: 'host', allow: {}, token: { admin: ['server'], account: 'none' } } as const
const accountId = Id.optional().describe('Only this account')

export const getHostDiff = operation({
  ...rootOnly,
  host: true,
  id: 'getHostDiff',
  method: 'get',
  path: '/host/diff',
  summary: 'Show how the host differs from the store',
  description:
    'Changes nothing. Files that are not world-readable are named without their content. At most 1,000 differences are shown.',
  query: z.strictObject({ account_id: accountId, node: node.describe('Only this node; all by default') }),
  status: 200,
  answer: component(
    'HostDiff',
    z.strictObject({
      differences: z.array(Difference),
      diff: z.string().describe('As a unified diff, from the host to the store; what has no diff is a comment in it'),
      more: z.boolean().describe('There are more differences than are shown'),
    }),
  ),
  cli: {
    words: ['host', 'diff'],
    show: 'diff',
    examples: ['panel host diff', 'panel host diff --node web2', 'panel host diff -a alice'],
  },
})

export const applyHost = operation({
  ...rootOnly,
  id: 'applyHost',
  method: 'post',
  path: '/host/apply',
  summary: 'Apply the configuration to the host',
  description:
    'Applies all accounts, those of one node, or one. Each node gets its own job, which waits while the node is down. The log of the job names each file that differed from the store.',
  body: component(
    'ApplyHost',
    z.strictObject({ account_id: accountId, node: node.describe('Only this node; all by default') }),
  ),
  status: 202,
  answer: component(
    'HostApplied',
    z.strictObject({
      job_id: Id.describe('The job that applies the change; where all nodes are asked, that of `local`'),
      nodes: z
        .array(
          component(
            'HostNodeJob',
            z.strictObject({
              node: NodeName,
              job_id: Id.describe('The job of this node'),
              waiting_for: z.string().optional().describe('Why it waits, in one sentence'),
            }),
          ),
        )
        .optional()
        .describe('The other nodes, where there are any and all are asked'),
    }),
  ),
  job: 'host.apply',
  emits: ['job.completed', 'job.failed'],
  problems: ['busy'],
  cli: {
    words: ['host', 'apply'],
    everything: { option: 'all', without: 'account', description: 'All accounts, as without --account' },
    examples: ['panel host apply --all', 'panel host apply --node web2', 'panel host apply -a alice'],
  },
})

export const verifyHost = operation({
  ...rootOnly,
  id: 'verifyHost',
  method: 'post',
  path: '/host/verify',
  summary: "Test what the host's services answer for an account",
  description:
    'Real requests on this machine: each site and its certificate, each zone, a mailbox of each domain by SMTP and IMAP, each database, and FTP. It signs in with temporary logins. The log of the job has a line for each; the job fails if one did. A host that is only a directory has no services to test.',
  body: component('VerifyHost', z.strictObject({ account_id: Id.describe('The account') })),
  status: 202,
  answer: component('HostVerified', z.strictObject({ job_id: Id.describe('The job that asks') })),
  job: 'host.verify',
  emits: ['job.completed', 'job.failed'],
  problems: ['busy'],
  cli: {
    words: ['host', 'verify'],
    examples: ['panel host verify -a alice'],
  },
})
