import { z } from 'zod'
import { component, Id, Millis, pageOf, paging } from './common.ts'
import { actorTypes, ChangeReason, ClientName, vias } from './events.ts'
import { operation } from './operation.ts'

/** Who changed what, from where, and with what result. */
export const AuditEntry = component(
  'AuditEntry',
  z.strictObject({
    id: Id,
    at: Millis,
    operation: z.string().describe('Operation id'),
    actor: z.strictObject({ type: z.enum(actorTypes), id: Id, name: z.string() }),
    acting_as: z.strictObject({ id: Id, name: z.string() }).optional().describe('Who is behind a "log in as" session'),
    via: z.enum(vias),
    reason: ChangeReason.optional(),
    client: ClientName.optional(),
    token: z.strictObject({ id: Id, name: z.string() }).optional(),
    address: z.string().optional(),
    request_id: z.string(),
    account_id: Id.optional(),
    username: z.string().optional().describe('Of the account, at the time'),
    object_id: Id.optional(),
    before: z.record(z.string(), z.unknown()).optional().describe('What was changed, before; without secrets'),
    after: z.record(z.string(), z.unknown()).optional().describe('What was changed, after; without secrets'),
  }),
)

const filters = {
  ...paging,
  operation: z.string().max(64).optional().describe('Only this operation'),
  actor_id: Id.optional().describe('Only changes by this actor'),
  actor: z.string().max(64).optional().describe('Only changes by the user of this name, also when acting as another'),
  since: Millis.optional().describe('Only changes at or after this time'),
  until: Millis.optional().describe('Only changes before this time'),
}
const columns = ['at', 'actor.name', 'operation', 'username', 'changes'] as const

export const listAudit = operation({
  id: 'listAudit',
  method: 'get',
  path: '/audit',
  area: 'audit',
  summary: 'List changes',
  query: z.strictObject({
    ...filters,
    account_id: Id.optional().describe('Only changes of this account'),
    username: z.string().max(64).optional().describe('Only changes of the account of this name'),
  }),
  status: 200,
  answer: pageOf(AuditEntry),
  allow: {},
  token: { admin: ['server'], account: 'none' },
  cli: {
    words: ['audit', 'list'],
    newest: true,
    columns,
    examples: [
      'panel audit list',
      'panel audit list --operation terminateAccount',
      'panel audit list --actor root --username alice --since 7d',
    ],
  },
})

export const listAuditForAccount = operation({
  id: 'listAuditForAccount',
  method: 'get',
  path: '/accounts/{id}/audit',
  area: 'audit',
  summary: 'List changes of an account',
  params: z.strictObject({ id: Id.describe('The account') }),
  query: z.strictObject(filters),
  status: 200,
  answer: pageOf(AuditEntry),
  allow: { reseller: 'own', customer: true },
  token: { admin: ['accounts'], account: 'logs' },
  cli: {
    words: ['audit', 'list'],
    variant: 'account',
    newest: true,
    columns,
    examples: ['panel audit list --account alice'],
  },
})
