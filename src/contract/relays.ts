import { z } from 'zod'
import { label, relayPatterns, ulid } from '../shared/patterns.ts'
import { component, Hostname, Id, listOf, Millis, objectStatuses } from './common.ts'
import { operation } from './operation.ts'

export const relayTls = ['starttls', 'tls'] as const
export const relayPorts = [25, 465, 587, 2525] as const
/** Relays of the server. */
export const MAX_RELAYS = 100
const MAX_TARGETS = 500

const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be up to 31 lower-case letters, digits and hyphens, and begin with a letter')
  .describe('Name')
const host = Hostname.describe("The relay's host name, which its certificate must have")
const port = z.union(relayPorts.map((one) => z.literal(one))).describe('25, 465, 587 or 2525')
const tls = z.enum(relayTls).describe('starttls on 25, 587 and 2525, tls on 465')
const username = z
  .string()
  .max(255)
  .regex(relayPatterns.username, 'must be printable ASCII without blanks and colons')
  .describe('Whom to sign in as; absent: the relay needs no sign-in')
const password = z
  .string()
  .max(1024)
  .regex(relayPatterns.password, 'must be printable ASCII, without a blank at its beginning or end')
  .describe('The password of the user name')

/** Where a relay is, and how to sign in there. */
export const relayFields = { host, port, tls, username: username.optional(), password: password.optional() }

const named = new RegExp(`^(?:${ulid}|(?:${label}\\.)*${label})$`)
const members = (what: string) =>
  z
    .array(z.string().max(253).regex(named, 'must be an id or a name'))
    .min(1)
    .max(MAX_TARGETS)
    .describe(`${what}, by id or name`)
const target = z
  .union([
    z.literal('server'),
    z.strictObject({ accounts: members('Mail of all domains of these accounts') }),
    z.strictObject({ domains: members('Mail of these domains') }),
  ])
  .describe('Whose mail leaves by it. A domain comes before its account, and that before the server')
const targets = z.union([
  z.literal('server'),
  z.strictObject({ accounts: z.array(Id) }),
  z.strictObject({ domains: z.array(Id) }),
])

/** A mail server of others that takes outgoing mail. */
export const SmtpRelay = component(
  'SmtpRelay',
  z.strictObject({
    id: Id,
    name: z.string(),
    host: z.string(),
    port: z.int(),
    tls: z.enum(relayTls),
    username: z.string().optional(),
    for: targets.describe('Whose mail leaves by it'),
    status: z.enum(objectStatuses),
    created_at: Millis,
    updated_at: Millis,
  }),
)

const area = 'relays'
const root = { area, allow: {}, token: { admin: ['server'], account: 'none' } } as const
const params = z.strictObject({ rid: Id.describe('The relay') })
const columns = ['id', 'name', 'host', 'port', 'tls', 'username', 'for', 'status'] as const
const accepted = {
  status: 202,
  answer: component(
    'SmtpRelayAccepted',
    z.strictObject({ relay: SmtpRelay, job_id: Id.describe('The job that applies it') }),
  ),
  emits: ['job.completed', 'job.failed'],
} as const
const updates = { ...accepted, job: 'mail.relay.update' } as const

export const listSmtpRelays = operation({
  ...root,
  id: 'listSmtpRelays',
  method: 'get',
  path: '/smtp-relays',
  summary: 'List SMTP relays',
  status: 200,
  answer: listOf(SmtpRelay),
  cli: { words: [area, 'list'], columns, examples: ['panel relays list'] },
})

export const createSmtpRelay = operation({
  ...root,
  id: 'createSmtpRelay',
  sensitive: 'agents',
  method: 'post',
  path: '/smtp-relays',
  summary: 'Add an SMTP relay',
  description:
    'The sender decides which relay takes a message. Bounces and forwarded mail leave by the relay of the server. TLS is always required, and the certificate must be valid for the host. What waits in the mail queue is tried again.',
  body: component(
    'CreateSmtpRelay',
    z.strictObject({
      name,
      ...relayFields,
      for: target,
    }),
  ),
  ...updates,
  secret: true,
  problems: ['exists', 'too-many'],
  cli: {
    words: [area, 'create'],
    args: ['name'],
    columns,
    show: 'relay',
    examples: [
      'panel relays create ses --host email-smtp.eu-central-1.amazonaws.com --port 587 --tls starttls --username AKIA1 --password-file ses.key --for server',
      'panel relays create office --host smtp.office.example --port 465 --tls tls --for-accounts alice,bob',
    ],
  },
})

export const getSmtpRelay = operation({
  ...root,
  id: 'getSmtpRelay',
  method: 'get',
  path: '/smtp-relays/{rid}',
  summary: 'Show an SMTP relay',
  params,
  status: 200,
  answer: SmtpRelay,
  cli: { words: [area, 'show'], columns, examples: ['panel relays show ses'] },
})

export const updateSmtpRelay = operation({
  ...root,
  id: 'updateSmtpRelay',
  method: 'patch',
  path: '/smtp-relays/{rid}',
  summary: 'Change an SMTP relay',
  description: 'What waits in the mail queue is tried again, and leaves as the change says.',
  params,
  body: component(
    'UpdateSmtpRelay',
    z.strictObject({
      name: name.optional(),
      host: host.optional(),
      port: port.optional(),
      tls: tls.optional(),
      username: username.nullable().optional().describe('Whom to sign in as; null: the relay needs no sign-in'),
      password: password.optional(),
      for: target.optional(),
    }),
  ),
  ...updates,
  secret: true,
  problems: ['busy', 'exists'],
  cli: {
    words: [area, 'update'],
    columns,
    show: 'relay',
    examples: ['panel relays update ses --password-file ses.key'],
  },
})

export const deleteSmtpRelay = operation({
  ...root,
  id: 'deleteSmtpRelay',
  method: 'delete',
  path: '/smtp-relays/{rid}',
  summary: 'Delete an SMTP relay',
  description: 'Mail that left by it leaves by the next one that applies, or directly.',
  params,
  ...updates,
  cli: { words: [area, 'delete'], columns, show: 'relay', confirm: 'yes', examples: ['panel relays delete ses'] },
})

export const testSmtpRelay = operation({
  ...root,
  id: 'testSmtpRelay',
  method: 'post',
  path: '/smtp-relays/{rid}/test',
  summary: 'Send a message by an SMTP relay',
  description: "The job's log has what the relay answered. Once a minute at most.",
  params,
  body: component(
    'TestSmtpRelay',
    z.strictObject({
      to: z.email().max(254).regex(relayPatterns.recipient, 'must be an email address').describe('The recipient'),
    }),
  ),
  ...accepted,
  job: 'mail.relay.test',
  problems: ['rate-limited', 'busy'],
  cli: {
    words: [area, 'test'],
    columns,
    show: 'relay',
    examples: ['panel relays test ses --to me@elsewhere.example'],
  },
})
