import { z } from 'zod'
import { localParts } from '../../shared/patterns.ts'
import { component, Id, Millis } from '../common.ts'
import { accountObjects } from '../crud.ts'
import { operation } from '../operation.ts'
import { Address, access, area, emailStatuses, MAX_ADDRESS_LENGTH, ofAddresses } from './common.ts'

export const Forwarder = component(
  'Forwarder',
  z.strictObject({
    id: Id,
    address: z.string(),
    domain: z.string(),
    destinations: z.array(z.string()),
    keep_copy: z.boolean().describe('A mailbox of the same address gets the mail too'),
    status: z.enum(emailStatuses),
    created_at: Millis,
  }),
)

export const MAX_DESTINATIONS = 100

/** The destination that throws mail away; other panels call it `:blackhole:`. */
export const DISCARD = 'discard'

/** An address whose domain lacks these characters. */
const anywhere = (characters: string) => `${localParts.elsewhere}@[^@\\s,\\p{Cc}${characters}]+`

const Destinations = z
  .array(
    z
      .string()
      .min(1)
      .max(2 * MAX_ADDRESS_LENGTH)
      .regex(
        new RegExp(`^(?:${DISCARD}|:blackhole:|/dev/null|${anywhere('')}|[^<>@,\\p{Cc}]*<${anywhere('<>')}>) *$`, 'iu'),
        `must be an email address such as bob@shop.example, or ${DISCARD}`,
      ),
  )
  .min(1)
  .max(MAX_DESTINATIONS)
  .describe(`Addresses that get the mail, at most ${MAX_DESTINATIONS}; or \`${DISCARD}\` alone, which throws it away`)
const KeepCopy = z.boolean().describe('A mailbox of the same address gets the mail too (default: true)')

const columns = ['address', 'destinations', 'keep_copy', 'status'] as const

const forwarders = accountObjects({
  one: 'Forwarder',
  many: 'Forwarders',
  noun: 'forwarder',
  path: 'email/forwarders',
  param: 'fid',
  area,
  resource: Forwarder,
  create: z.strictObject({
    address: Address.describe('The complete address, such as info@shop.example'),
    destinations: Destinations,
    keep_copy: KeepCopy.optional(),
  }),
  update: z.strictObject({ destinations: Destinations.optional(), keep_copy: KeepCopy.optional() }),
  read: access,
  change: access,
  words: ['email', 'forwarders'],
  columns,
  jobs: { create: 'email.forwarder.create', update: 'email.forwarder.update', delete: 'email.forwarder.delete' },
  emits: { create: ['email.forwarder.created'], update: [], delete: ['email.forwarder.deleted'] },
})

const feature = 'forwarders'
const example = 'sales@alice.example'
const cli = <const W extends string>(verb: W, more = '') => ({
  words: ['email', 'forwarders', verb] as const,
  variant: 'account' as const,
  columns,
  examples: [`panel email forwarders ${verb} ${example}${more}`] as const,
})

export const listForwarders = operation({
  ...forwarders.list,
  query: ofAddresses,
  cli: {
    ...forwarders.list.cli,
    examples: ['panel email forwarders list -a alice', 'panel email forwarders list -a alice --domain shop.example'],
  },
})

export const createForwarder = operation({
  ...forwarders.create,
  description:
    'Mail for the address goes to all destinations. Loops through forwarders and catch-alls of the account are refused. If creating it fails permanently, the forwarder is removed.',
  feature,
  problems: ['exists', 'too-many'],
  cli: {
    ...forwarders.create.cli,
    args: ['address', 'destinations'],
    examples: [
      `panel email forwarders create ${example} bob@ext.example`,
      `panel email forwarders create ${example} bob@ext.example,info@alice.example -a alice`,
    ],
  },
})

export const getForwarder = operation({ ...forwarders.get, cli: cli('show') })

export const updateForwarder = operation({
  ...forwarders.update,
  feature,
  cli: { ...cli('update', ' --destinations bob@ext.example'), show: 'forwarder' },
})

export const deleteForwarder = operation({
  ...forwarders.delete,
  description:
    'Refused while a catch-all needs it. Forwarders that lead to it stay: `forwarders` lists them, and mail for one that leads nowhere else is refused.',
  answer: component(
    'ForwarderDeleted',
    z.strictObject({
      forwarder: Forwarder,
      forwarders: z.array(Forwarder).describe('Those that lead to it'),
      job_id: Id.describe('The job that applies the change'),
    }),
  ),
  problems: ['in-use'],
  cli: {
    ...cli('delete'),
    show: 'forwarder',
    sections: [{ field: 'forwarders', columns: ['address', 'destinations'] }],
    confirm: 'yes',
  },
})
