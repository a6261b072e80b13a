import { z } from 'zod'
import { component, Id, listOf, Millis } from './common.ts'
import { access, change, command, FileEntry, host, inBodyPath, Mode, params, quota } from './files.ts'
import { operation } from './operation.ts'

const MAX_UPLOAD_BYTES = 20 * 1024 ** 3

export const Upload = component(
  'Upload',
  z.strictObject({
    id: Id,
    name: z.string().optional(),
    size: z.int().min(0).describe('Bytes of the whole file'),
    sha256: z.string().optional().describe('What the whole file must have, in hex'),
    offset: z.int().min(0).describe('Bytes received so far; the next ones begin here'),
    created_at: Millis,
    expires_at: Millis.describe('Until when it can be saved'),
  }),
)

const columns = ['id', 'name', 'offset', 'size', 'expires_at'] as const
const example = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'
const path = '/accounts/{id}/uploads'
const member = '/accounts/{id}/uploads/{uid}'
const ofOne = z.strictObject({ ...params.shape, uid: Id.describe('The upload') })
const either = ['file_manager', 'apps', 'mysql'] as const

export const listUploads = operation({
  ...host,
  id: 'listUploads',
  method: 'get',
  path,
  summary: 'List uploads that are not saved yet',
  status: 200,
  answer: listOf(Upload),
  cli: { ...command('files', 'uploads'), columns, examples: ['panel files uploads --account alice'] },
})

export const createUpload = operation({
  ...access,
  area: 'files',
  params,
  feature: either,
  id: 'createUpload',
  method: 'post',
  path,
  summary: 'Begin an upload',
  description:
    'A file of any size up to 20 GiB, sent in as many parts as it takes, and saved within 24 hours. Ten at a time. `panel files upload` does all of it.',
  body: component(
    'CreateUpload',
    z.strictObject({
      size: z.int().min(0).max(MAX_UPLOAD_BYTES).describe('Bytes of the whole file'),
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
        .optional()
        .describe('Of the whole file, in hex: what is saved has it'),
      name: z.string().min(1).max(255).optional().describe('To find it again'),
    }),
  ),
  status: 201,
  answer: Upload,
  problems: ['too-many', ...quota],
  cli: {
    ...command('files', 'create-upload'),
    columns,
    examples: ['panel files create-upload --size 1024 --account alice'],
  },
})

export const getUpload = operation({
  ...host,
  params: ofOne,
  id: 'getUpload',
  method: 'get',
  path: member,
  summary: 'Show an upload',
  status: 200,
  answer: Upload,
  cli: {
    ...command('files', 'show-upload'),
    columns,
    examples: [`panel files show-upload ${example} --account alice`],
  },
})

export const sendUpload = operation({
  ...change,
  params: ofOne,
  feature: either,
  id: 'sendUpload',
  method: 'patch',
  path: member,
  raw: 'body',
  part: true,
  summary: 'Send bytes of an upload',
  description:
    'They begin at the offset; any but the current one answers 409 `changed`, with the current one in the header Upload-Offset. Bytes received before a connection breaks are kept.',
  query: z.strictObject({ offset: z.int().min(0).describe('How many bytes have been sent before') }),
  status: 200,
  answer: Upload,
  problems: ['changed', ...quota],
  cli: {
    ...command('files', 'send-upload'),
    args: ['uid', 'offset'],
    columns,
    examples: [`panel files send-upload ${example} 0 part1 --account alice`],
  },
})

export const deleteUpload = operation({
  ...host,
  params: ofOne,
  id: 'deleteUpload',
  method: 'delete',
  path: member,
  summary: 'Give up an upload',
  status: 204,
  cli: {
    ...command('files', 'delete-upload'),
    confirm: 'yes',
    examples: [`panel files delete-upload ${example} --account alice`],
  },
})

export const saveUpload = operation({
  ...change,
  params: ofOne,
  id: 'saveUpload',
  method: 'post',
  path: `${member}/save`,
  summary: 'Save an upload as a file',
  description: 'All of it must have arrived, with the right sha256. Saving it ends the upload.',
  body: component(
    'SaveUpload',
    z.strictObject({
      ...inBodyPath('path', 'The file'),
      overwrite: z.boolean().optional().describe('Replace a file that is there'),
      mode: Mode.optional().describe('Permissions; those of the file that is replaced, else 0644'),
    }),
  ),
  status: 200,
  answer: FileEntry,
  problems: ['exists', 'incomplete', ...quota],
  cli: {
    ...command('files', 'save-upload'),
    args: ['uid', 'path'],
    columns: ['mode', 'size', 'modified_at', 'type', 'path'],
    examples: [`panel files save-upload ${example} sites/site.zip --account alice`],
  },
})
