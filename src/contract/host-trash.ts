import { z } from 'zod'
import { component, Id, listOf, Millis } from './common.ts'
import { NodeName, Unreachable } from './node-names.ts'
import { operation } from './operation.ts'

const HostTrashItem = component(
  'HostTrashItem',
  z.strictObject({
    id: Id.describe('Of what was deleted: an account, a mailbox or an app'),
    path: z.string().describe('Where it is on the host'),
    node: NodeName.optional().describe('Absent for `local`'),
    size: z.int().min(0).describe('In bytes'),
    deleted_at: Millis,
  }),
)

export const listHostTrash = operation({
  id: 'listHostTrash',
  method: 'get',
  path: '/trash',
  area: 'host',
  host: true,
  summary: "List what is in the host's trash",
  description:
    'Homes of terminated accounts, the oldest first; deleted mailboxes and apps are in the trash of their account. They are deleted permanently after the days of the setting `trash_days`.',
  query: z.strictObject({ node: NodeName.optional().describe('Only this node; by default all that answer') }),
  status: 200,
  answer: listOf(HostTrashItem).extend({
    unreachable: Unreachable.describe('Nodes that could not be asked, where there are any and none was asked for'),
  }),
  allow: {},
  token: { admin: ['server'], account: 'none' },
  cli: {
    words: ['host', 'trash'],
    columns: ['id', 'deleted_at', 'size', 'path'],
    examples: ['panel host trash', 'panel host trash --node web2'],
  },
})
