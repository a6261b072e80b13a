import { z } from 'zod'
import { component, Id, listOf } from './common.ts'
import { access, change, command, FileEntry, host, inBodyPath, JobAccepted, params, TrashItem } from './files.ts'
import { operation } from './operation.ts'

const columns = ['id', 'deleted_at', 'type', 'size', 'path'] as const

export const listTrash = operation({
  ...host,
  area: 'trash',
  id: 'listTrash',
  method: 'get',
  path: '/accounts/{id}/trash',
  summary: "List what is in an account's trash",
  description: 'The newest 1,000, the newest first.',
  status: 200,
  answer: listOf(TrashItem),
  cli: { ...command('trash', 'list'), columns, examples: ['panel trash list --account alice'] },
})

export const restoreTrashItem = operation({
  ...change,
  area: 'trash',
  id: 'restoreTrashItem',
  method: 'post',
  path: '/accounts/{id}/trash/{xid}/restore',
  params: z.strictObject({ ...params.shape, xid: Id.describe('The trash item') }),
  summary: 'Restore what was deleted',
  body: component(
    'RestoreTrashItem',
    z.strictObject(inBodyPath('to', 'Path to restore it to; where it was by default')),
  ),
  status: 200,
  answer: FileEntry,
  problems: ['exists', 'in-use', 'limit-reached'],
  cli: {
    ...command('trash', 'restore'),
    columns: ['mode', 'size', 'modified_at', 'type', 'path'],
    examples: ['panel trash restore 01K9ZQ5T3M8V4X7C2B6N1D0FGH --account alice'],
  },
})

export const emptyTrash = operation({
  ...access,
  area: 'trash',
  id: 'emptyTrash',
  method: 'delete',
  path: '/accounts/{id}/trash',
  params,
  summary: "Empty an account's trash",
  description: 'Its current content is deleted permanently.',
  status: 202,
  answer: JobAccepted,
  job: 'files.empty_trash',
  emits: ['job.completed', 'job.failed'],
  cli: { ...command('trash', 'empty'), confirm: 'yes', examples: ['panel trash empty --account alice'] },
})
