import { z } from 'zod'
import { component, Id, listOf } from './common.ts'
import { operation } from './operation.ts'
import { Upload } from './uploads.ts'

const MAX_SIZE = 16 * 1024 ** 4

const area = 'imports'
const access = {
  allow: { reseller: 'create-acct' },
  token: { admin: ['accounts'], account: 'none' },
} as const
const path = '/imports/uploads'
const member = '/imports/uploads/{uid}'
const params = z.strictObject({ uid: Id.describe('The upload') })
const columns = ['id', 'name', 'offset', 'size', 'expires_at'] as const
const example = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

export const listImportUploads = operation({
  ...access,
  area,
  host: true,
  id: 'listImportUploads',
  method: 'get',
  path,
  summary: 'List uploaded archives that no import has yet',
  status: 200,
  answer: listOf(Upload),
  cli: { words: ['import', 'uploads', 'list'], columns, examples: ['panel import uploads list'] },
})

export const createImportUpload = operation({
  ...access,
  area,
  id: 'createImportUpload',
  method: 'post',
  path,
  summary: 'Begin the upload of an archive',
  description:
    'An archive of up to the setting `import_upload_max`, sent in as many parts as it takes, and imported within seven days. Ten at a time.',
  body: component(
    'CreateImportUpload',
    z.strictObject({
      size: z.int().min(1).max(MAX_SIZE).describe('Bytes of the whole file'),
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
        .optional()
        .describe('Of the whole file, in hex: it is checked before the archive is read'),
      name: z.string().min(1).max(255).optional().describe('To find it again'),
    }),
  ),
  status: 201,
  answer: Upload,
  emits: [],
  problems: ['too-many', 'storage-full'],
  cli: {
    words: ['import', 'uploads', 'create'],
    columns,
    examples: ['panel import uploads create --size 1073741824 --name cpmove-alice.tar.gz'],
  },
})

export const getImportUpload = operation({
  ...access,
  area,
  host: true,
  params,
  id: 'getImportUpload',
  method: 'get',
  path: member,
  summary: 'Show an upload of an archive',
  status: 200,
  answer: Upload,
  cli: { words: ['import', 'uploads', 'show'], columns, examples: [`panel import uploads show ${example}`] },
})

export const sendImportUpload = operation({
  ...access,
  area,
  host: true,
  params,
  id: 'sendImportUpload',
  method: 'patch',
  path: member,
  raw: 'body',
  part: true,
  summary: 'Send bytes of an archive',
  description:
    'They begin at the offset; any but the current one answers 409 `changed`, with the current one in the header Upload-Offset. Bytes received before a connection breaks are kept.',
  query: z.strictObject({ offset: z.int().min(0).describe('How many bytes have been sent before') }),
  status: 200,
  answer: Upload,
  emits: [],
  problems: ['changed', 'storage-full'],
  cli: {
    words: ['import', 'uploads', 'send'],
    args: ['uid', 'offset'],
    columns,
    examples: [
      `panel import uploads send ${example} 0 -`,
      `panel import uploads send ${example} 0 cpmove-alice.tar.gz`,
    ],
  },
})

export const deleteImportUpload = operation({
  ...access,
  area,
  host: true,
  params,
  id: 'deleteImportUpload',
  method: 'delete',
  path: member,
  summary: 'Give up an upload of an archive',
  status: 204,
  emits: [],
  cli: {
    words: ['import', 'uploads', 'delete'],
    confirm: 'yes',
    examples: [`panel import uploads delete ${example} --yes`],
  },
})
