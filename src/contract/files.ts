import { z } from 'zod'
import { archiveFormats, nameEncodings } from '../shared/archives.ts'
import { component, Id, Millis } from './common.ts'
import { operation } from './operation.ts'

export const fileTypes = ['file', 'directory', 'link', 'other'] as const

const path = z.string().max(4_096)
const inBody = z
  .string()
  .max(5_464)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64')
const inQuery = z
  .string()
  .max(5_464)
  .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url')
const bytesOf = (name: string): string => `${name}, as the bytes it has on the disk`

/** A path below the home, or its bytes if it is not UTF-8 text. */
export const inQueryPath = (what: string) => ({
  path: path.optional().describe(`${what}, from the home`),
  path_bytes: inQuery.optional().describe(`${bytesOf('path')}, in base64url`),
})
export const inBodyPath = <const Name extends string>(name: Name, what: string) =>
  ({
    [name]: path.optional().describe(`${what}, from the home`),
    [`${name}_bytes`]: inBody.optional().describe(`${bytesOf(name)}, in base64`),
  }) as Record<Name | `${Name}_bytes`, z.ZodOptional<z.ZodString>>

export const Mode = z
  .string()
  .regex(/^0[0-7]{3}$/, 'must be four octal digits from 0000 to 0777, such as 0644')
  .describe('Permissions, such as 0644')

export const FileEntry = component(
  'FileEntry',
  z.strictObject({
    name: z.string().describe('Bytes that are not UTF-8 are replaced'),
    name_bytes: z.string().optional().describe('In base64, where the name is not UTF-8 or holds control characters'),
    path: z.string().describe('From the home'),
    path_bytes: z.string().optional().describe('In base64, where the path is not UTF-8 or holds control characters'),
    type: z.enum(fileTypes),
    size: z.int().min(0).describe('In bytes'),
    mode: z.string().describe('Four octal digits, such as 0644'),
    modified_at: Millis,
    target: z.string().optional().describe('Where a link leads; it is never followed'),
    etag: z.string().optional().describe('Of a regular file: changes with its content. For If-Match'),
  }),
)

export const TrashItem = component(
  'TrashItem',
  z.strictObject({
    id: Id,
    path: z.string().describe('Where it was, from the home'),
    path_bytes: z.string().optional().describe('In base64, where the path is not UTF-8 or holds control characters'),
    type: z.enum(fileTypes),
    size: z.int().min(0).describe('In bytes; of a directory 0'),
    deleted_at: Millis,
  }),
)

const account = { id: Id.describe('The account') }
export const params = z.strictObject(account)
const columns = ['mode', 'size', 'modified_at', 'type', 'name'] as const

export const access = {
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: ['accounts'], account: 'files' },
} as const
export const host = { ...access, host: true, area: 'files', params } as const
export const change = { ...host, feature: 'file_manager' } as const
export const quota = ['limit-reached'] as const
export const command = (...words: readonly [string, ...string[]]) => ({ words, variant: 'account' as const })

export const listFiles = operation({
  ...host,
  id: 'listFiles',
  method: 'get',
  path: '/accounts/{id}/files',
  summary: 'List a directory',
  description: 'In the order of the bytes of names. Links are listed and never followed.',
  query: z.strictObject({
    ...inQueryPath('The directory'),
    limit: z.int().min(1).max(1_000).default(200).describe('Items per page'),
    cursor: inQuery.max(362).optional().describe('`next` of the page before'),
  }),
  status: 200,
  answer: z.strictObject({
    items: z.array(FileEntry),
    total: z.int().min(0).describe('On all pages'),
    next: z.string().optional().describe('Absent on the last page'),
  }),
  problems: ['forbidden'],
  cli: {
    ...command('files', 'list'),
    args: ['path'],
    columns,
    examples: ['panel files list --account alice', 'panel files list sites --account alice'],
  },
})

export const statFile = operation({
  ...host,
  id: 'statFile',
  method: 'get',
  path: '/accounts/{id}/files/stat',
  summary: 'Show what is at a path',
  query: z.strictObject(inQueryPath('A file, directory or link')),
  status: 200,
  answer: FileEntry,
  cli: {
    ...command('files', 'stat'),
    args: ['path'],
    columns: ['mode', 'size', 'modified_at', 'type', 'path'],
    examples: ['panel files stat sites/alice.example/public/index.html --account alice'],
  },
})

export const readFile = operation({
  ...host,
  id: 'readFile',
  method: 'get',
  path: '/accounts/{id}/files/content',
  raw: 'answer',
  summary: 'Read a file',
  description:
    'The bytes of a regular file, with its ETag. Takes one Range of bytes, and If-Range. An account may have two such requests at a time; each must transfer at least 256 KiB a minute.',
  query: z.strictObject(inQueryPath('The file')),
  status: 200,
  problems: ['range-not-satisfiable'],
  cli: {
    ...command('files', 'read'),
    args: ['path'],
    examples: ['panel files read sites/alice.example/public/index.html --account alice'],
  },
})

export const writeFile = operation({
  ...change,
  id: 'writeFile',
  method: 'put',
  path: '/accounts/{id}/files/content',
  raw: 'body',
  maxBytes: 64 * 1024 * 1024,
  summary: 'Write a file',
  description:
    'The write is atomic. `If-Match` replaces only the version with that etag, `If-None-Match: *` writes only if there is no file yet. For files of more than 64 MiB, create an upload.',
  query: z.strictObject({
    ...inQueryPath('The file'),
    mode: Mode.optional().describe('Permissions; those of the file that is replaced, else 0644'),
  }),
  status: 200,
  answer: FileEntry,
  problems: ['changed', 'exists', 'in-use', ...quota],
  cli: {
    ...command('files', 'write'),
    args: ['path'],
    columns: ['mode', 'size', 'modified_at', 'type', 'path'],
    examples: ['panel files write sites/alice.example/public/index.html index.html --account alice'],
  },
})

export const makeDirectory = operation({
  ...change,
  id: 'makeDirectory',
  method: 'post',
  path: '/accounts/{id}/files/directories',
  summary: 'Create a folder',
  body: component(
    'MakeDirectory',
    z.strictObject({
      ...inBodyPath('path', 'The directory'),
      parents: z.boolean().optional().describe('Also create missing parent directories'),
    }),
  ),
  status: 201,
  answer: FileEntry,
  problems: ['exists', ...quota],
  cli: {
    ...command('files', 'mkdir'),
    args: ['path'],
    columns: ['mode', 'size', 'modified_at', 'type', 'path'],
    examples: ['panel files mkdir sites/alice.example/public/img --account alice'],
  },
})

export const moveFile = operation({
  ...change,
  id: 'moveFile',
  method: 'post',
  path: '/accounts/{id}/files/move',
  summary: 'Move or rename a file',
  body: component(
    'MoveFile',
    z.strictObject({
      ...inBodyPath('from', 'Path to move'),
      ...inBodyPath('to', 'Its new path'),
      overwrite: z.boolean().optional().describe('Replace a file that is there'),
    }),
  ),
  status: 200,
  answer: FileEntry,
  problems: ['exists', 'in-use'],
  cli: {
    ...command('files', 'move'),
    args: ['from', 'to'],
    columns: ['mode', 'size', 'modified_at', 'type', 'path'],
    examples: ['panel files move old.html new.html --account alice'],
  },
})

const MAX_PATHS = 1_000

export const JobAccepted = component('JobAccepted', z.strictObject({ job_id: Id.describe('The job that does it') }))

/** Problems that can be foreseen before a job starts. */
const preflightProblems = ['forbidden', 'exists', 'in-use'] as const

export const copyFile = operation({
  ...access,
  area: 'files',
  params,
  feature: 'file_manager',
  id: 'copyFile',
  method: 'post',
  path: '/accounts/{id}/files/copy',
  summary: 'Copy a file or directory',
  description:
    'With everything in it, completely or not at all, to a path that does not exist yet. Links are copied as links.',
  body: component(
    'CopyFile',
    z.strictObject({ ...inBodyPath('from', 'Path to copy'), ...inBodyPath('to', 'The path of the copy') }),
  ),
  status: 202,
  answer: JobAccepted,
  job: 'files.copy',
  emits: ['job.completed', 'job.failed'],
  problems: preflightProblems,
  cli: {
    ...command('files', 'copy'),
    args: ['from', 'to'],
    examples: ['panel files copy sites/alice.example sites/copy --account alice'],
  },
})

const ofJob = { ...access, area: 'files', params, feature: 'file_manager', method: 'post' } as const
const begun = {
  status: 202,
  answer: JobAccepted,
  emits: ['job.completed', 'job.failed'],
  problems: preflightProblems,
} as const

export const archiveFiles = operation({
  ...ofJob,
  ...begun,
  id: 'archiveFiles',
  path: '/accounts/{id}/files/archive',
  summary: 'Compress files into an archive',
  description:
    'Files and directories with everything in them, completely or not at all, at a path that does not exist yet. Names in the archive are relative to the directory that contains all of them. Links are packed as links.',
  body: component(
    'ArchiveFiles',
    z.strictObject({
      paths: z.array(path).min(1).max(MAX_PATHS).optional().describe('Paths to pack, relative to the home'),
      paths_bytes: z
        .array(inBody)
        .min(1)
        .max(MAX_PATHS)
        .optional()
        .describe(`${bytesOf('paths')}, in base64`),
      ...inBodyPath('to', 'The path of the archive'),
      format: z.enum(archiveFormats),
    }),
  ),
  job: 'files.archive',
  cli: {
    ...command('files', 'archive'),
    args: ['paths', 'to'],
    examples: ['panel files archive sites/alice.example site.zip --format zip --account alice'],
  },
})

export const extractArchive = operation({
  ...ofJob,
  ...begun,
  id: 'extractArchive',
  path: '/accounts/{id}/files/extract',
  summary: 'Extract an archive',
  description:
    'A zip, 7z, tar, tar.gz, tar.bz2, tar.xz or tar.zst archive into a new or an existing directory. Links that lead out of the archive are left out, and named in the log of the job with all else that differs from the archive; the rest is unpacked, completely or not at all. So are devices, FIFOs, hard links to what is not in the archive, and paths that are too long or deep. Of several files of one name the last one is unpacked. An archive is refused if it has a path with `..`, more than 100,000 entries, or more bytes than the quota allows.',
  body: component(
    'ExtractArchive',
    z.strictObject({
      ...inBodyPath('path', 'The archive'),
      ...inBodyPath('to', 'The directory'),
      overwrite: z.boolean().optional().describe('Replace files that are there'),
      name_encoding: z
        .enum(nameEncodings)
        .optional()
        .describe('Of names in a zip that do not say it; by default it is recognized where names are plain'),
    }),
  ),
  job: 'files.extract',
  cli: {
    ...command('files', 'extract'),
    args: ['path', 'to'],
    examples: [
      'panel files extract site.zip sites/alice.example/public --account alice',
      'panel files extract from-tokyo.zip from-tokyo --name-encoding shift_jis --account alice',
    ],
  },
})

export const chmodFile = operation({
  ...change,
  id: 'chmodFile',
  method: 'post',
  path: '/accounts/{id}/files/mode',
  summary: 'Change the permissions of a file',
  body: component('ChmodFile', z.strictObject({ ...inBodyPath('path', 'The file or directory'), mode: Mode })),
  status: 200,
  answer: FileEntry,
  problems: ['in-use'],
  cli: {
    ...command('files', 'chmod'),
    args: ['path', 'mode'],
    columns: ['mode', 'size', 'modified_at', 'type', 'path'],
    examples: ['panel files chmod sites/alice.example/cgi-bin/run 0755 --account alice'],
  },
})

export const deleteFile = operation({
  ...host,
  id: 'deleteFile',
  method: 'delete',
  path: '/accounts/{id}/files',
  summary: 'Move a file or directory to the trash',
  description: 'It can be restored within the days of the setting `trash_days`.',
  query: z.strictObject(inQueryPath('A file, directory or link')),
  status: 200,
  answer: z.strictObject({ trash_item: TrashItem }),
  problems: ['in-use'],
  cli: {
    ...command('files', 'delete'),
    args: ['path'],
    each: true,
    show: 'trash_item',
    columns: ['id', 'type', 'size', 'path'],
    examples: [
      'panel files delete sites/alice.example/public/old.html --account alice',
      'panel files delete tmp/one tmp/two --account alice',
    ],
  },
})
