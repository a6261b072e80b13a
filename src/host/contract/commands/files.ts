import { archiveFormats, nameEncodings } from '../../../shared/archives.ts'
import { command } from '../command.ts'
import {
  accepts,
  check,
  complete,
  knowsAll,
  listOf,
  type Output,
  object,
  oneOf,
  optional,
  patterns,
  type Schema,
  text,
  that,
  where,
  yesOrNo,
} from '../fields.ts'
import {
  configProblems,
  directiveKinds,
  MAX_DIRECTIVES,
  MAX_TRASH_ITEMS,
  MAX_WORDPRESS_SITES,
  wordpressPatterns,
} from '../files.ts'
import * as shape from '../shape.ts'
import { placeFields } from './logs.ts'
import { accountName, anyCount, day, ticket } from './names.ts'

/** A path of 4,096 bytes, with a margin so that a longer one gets its own error; it is checked as it is walked. */
const path = text(/^[A-Za-z0-9+/]*={0,2}$/, 16_384)
const log = text(/^(?:[a-z0-9_-]+[a-z0-9_.-]*\.(?:access|error|app)\.log|php\.log)$/, 300)
const id = text(patterns.id)
const mode = text(/^0[0-7]{3}$/)
const header = text(/^[^\0\r\n]*$/, 16_384)
const tailPlace = object({ ...placeFields, born: optional(text(/^\d{1,20}$/)) }, 'a place')
const sha256 = text(/^[0-9a-f]{64}$/)
/** How many bytes an account may still write. */
const room = optional(anyCount)
/** How many files and directories it may still make. */
const inodes = optional(anyCount)

/** Base64. */
const bytes = shape.text(8192)
const itemId = shape.exactly(/^[0-9A-Z]{26}$/)
const sentences = shape.list(shape.sentence, 1000)
const type = shape.oneOf('file', 'directory', 'link', 'other')

/** An entry at a path, as it is on disk. */
const entry = shape.fields({
  /** The path's last segment; empty for the home itself. */
  name: bytes,
  path: bytes,
  type,
  size: shape.amount,
  /** `0644` */
  mode: shape.exactly(/^[0-7]{3,5}$/),
  modifiedAt: shape.amount,
  /** A symlink's target. */
  target: shape.maybe(bytes),
  /** For a regular file: changes whenever its content may have. */
  etag: shape.maybe(shape.plain(200)),
})
export type FileEntry = Output<typeof entry>

const fileList = shape.fields({
  items: shape.list(entry),
  total: shape.count,
  /** The name after which the next page begins. */
  next: shape.maybe(bytes),
})
export type FileList = Output<typeof fileList>

/** A deleted entry that can be restored. */
const trashItem = shape.fields({ id: itemId, path: bytes, type, size: shape.amount, deletedAt: shape.amount })
export type TrashItem = Output<typeof trashItem>

const logFile = shape.fields({
  file: shape.text(4096),
  size: shape.amount,
  modifiedAt: shape.amount,
  /** Of rotated files, the newest first. */
  days: shape.list(shape.exactly(/^\d{4}-\d\d-\d\d$/), 10_000),
})
export type LogFile = Output<typeof logFile>

/** Inode numbers are reused: the creation time tells files apart, if the system has it. */
const placeAfter = shape.fields({ file: shape.text(4096), offset: shape.amount, born: shape.maybe(shape.text(100)) })
export type TailPlace = Output<typeof placeAfter>

const logPage = shape.fields({ lines: shape.list(shape.text(100_000)), next: placeAfter, gap: shape.mark })
export type LogPage = Output<typeof logPage>

/** The file's entry, and the range of its bytes. */
const readBytes = shape.fields({ entry, start: shape.amount, length: shape.amount, partial: shape.flag })

/** Below a site's address. */
const sitePath = shape.exactly(/^(?:\/|(?:\/[^/\p{Cc}]{1,255}){1,8})$/u)

/** What the text of an installation's files says. */
const wordpressSite = shape.fields({
  /** Where its pages are. */
  path: sitePath,
  /** Where WordPress itself is, which may have a directory of its own. */
  core: sitePath,
  version: shape.maybe(shape.exactly(wordpressPatterns.version)),
  database: shape.maybe(shape.exactly(wordpressPatterns.database)),
  prefix: shape.maybe(shape.exactly(wordpressPatterns.prefix)),
  multisite: shape.flag,
  staging: shape.flag,
  problem: shape.maybe(shape.oneOf(...configProblems)),
})
export type WordpressFiles = Output<typeof wordpressSite>

interface Verb<Input, Answer> {
  readonly input: Schema<Input>
  readonly answer: Schema<Answer>
  /** The answer is a list or a tenant's text. */
  readonly large?: true
  fits?(input: Input, answer: Answer): boolean
}
const verb = <Input, Answer>(declared: Verb<Input, Answer>): Verb<Input, Answer> => declared

/** What is done with the files of a home; each verb once. */
export const fileVerbs = {
  list: verb({
    input: object({ path, limit: complete(1, 1_000), after: optional(path) }, 'list'),
    answer: fileList,
    large: true,
    fits: ({ limit }, { items }) => items.length <= limit,
  }),
  stat: verb({ input: object({ path }, 'stat'), answer: entry }),
  makeDirectory: verb({ input: object({ path, parents: yesOrNo, inodes }, 'makeDirectory'), answer: entry }),
  move: verb({ input: object({ from: path, to: path, overwrite: yesOrNo }, 'move'), answer: entry }),
  chmod: verb({ input: object({ path, mode }, 'chmod'), answer: entry }),
  /** `whenFull`: what the quota leaves no room to describe is moved anyway, and removed when the trash is next emptied. */
  trash: verb({
    input: object({ path, id, now: anyCount, whenFull: optional(oneOf('undescribed')) }, 'trash'),
    answer: trashItem,
  }),
  /** Permanently removes what is at a path, if there is something. */
  remove: verb({ input: object({ path }, 'remove'), answer: shape.none }),
  listTrash: verb({
    input: object({}, 'listTrash'),
    answer: shape.fields({ items: shape.list(trashItem, MAX_TRASH_ITEMS) }),
    large: true,
  }),
  restore: verb({ input: object({ id, to: optional(path) }, 'restore'), answer: entry }),
  /** Permanently removes what was deleted before a given time. */
  emptyTrash: verb({
    input: object({ before: anyCount }, 'emptyTrash'),
    answer: shape.fields({ removed: shape.count }),
  }),
  /** How many bytes of each upload have arrived. */
  uploadSizes: verb({
    input: object({ ids: listOf(id, 100) }, 'uploadSizes'),
    answer: shape.fields({ sizes: shape.list(shape.amount) }),
    fits: ({ ids }, { sizes }) => sizes.length === ids.length,
  }),
  /** Refuses early what such work would be refused for now. */
  foresee: verb({
    input: object({ work: oneOf('copy', 'archive', 'extract'), from: listOf(path, 1_000), to: path }, 'foresee'),
    answer: shape.none,
  }),
  /** The target must not exist; `id` names the unfinished copy. */
  copy: verb({
    input: object({ id, from: path, to: path, room, inodes }, 'copy'),
    answer: shape.fields({ files: shape.count }),
  }),
  /** The target must not exist. */
  archive: verb({
    input: object(
      { id, paths: listOf(path, 1_000), to: path, format: oneOf(...archiveFormats), room, inodes },
      'archive',
    ),
    answer: shape.fields({ files: shape.count, size: shape.amount, warnings: sentences }),
    large: true,
  }),
  /** Merges into a directory; entries are counted if this call unpacked them. */
  extract: verb({
    input: object(
      { id, path, to: path, overwrite: yesOrNo, nameEncoding: optional(oneOf(...nameEncodings)), room, inodes },
      'extract',
    ),
    answer: shape.fields({
      files: shape.maybe(shape.count),
      bytes: shape.maybe(shape.amount),
      warnings: shape.maybe(sentences),
    }),
  }),
  listLogs: verb({
    input: object({}, 'listLogs'),
    answer: shape.fields({ items: shape.list(logFile) }),
    large: true,
  }),
  /** Secrets are masked, and `q` is matched against the masked text. */
  tailLog: verb({
    input: object(
      {
        file: log,
        since: optional(tailPlace),
        limit: complete(1, 1_000),
        q: optional(text(/^[\s\S]*$/, 200)),
        secrets: optional(listOf(text(/^[\s\S]*$/, 32_768), 200)),
      },
      'tailLog',
    ),
    answer: logPage,
    large: true,
    fits: ({ limit }, { lines }) => lines.length <= limit,
  }),
  /** What the `.htaccess` files of a site contain, and what of it takes effect where `handler` answers. */
  htaccess: verb({
    input: object({ root: path, handler: text(/^[a-z-]{1,20}$/) }, 'htaccess'),
    answer: shape.fields({
      items: shape.list(
        shape.fields({
          /** A path, in base64. */
          file: bytes,
          line: shape.count,
          directive: shape.plain(64),
          kind: shape.oneOf(...directiveKinds),
          obeyed: shape.flag,
        }),
        MAX_DIRECTIVES,
      ),
      more: shape.flag,
    }),
    large: true,
  }),
  /** The WordPress installations at a document root and below, by the text of their files; none of their code is run. */
  wordpress: verb({
    input: object({ root: path }, 'wordpress'),
    answer: shape.fields({ items: shape.list(wordpressSite, MAX_WORDPRESS_SITES), more: shape.flag }),
    large: true,
  }),
  /** Keeps what a site's `.htaccess` files set for PHP in `.user.ini` files beside them, or removes it there. */
  userIni: verb({
    input: object({ root: path, apply: yesOrNo }, 'userIni'),
    answer: shape.fields({ files: shape.count }),
  }),
  dropUpload: verb({ input: object({ id }, 'dropUpload'), answer: shape.none }),
  saveUpload: verb({
    input: object(
      { path, id, size: anyCount, sha256: optional(sha256), overwrite: yesOrNo, mode: optional(mode) },
      'saveUpload',
    ),
    answer: entry,
  }),
}

/** Verbs whose bytes use a connection of their own. */
export const byteVerbs = {
  /** Bytes from the host: their description and range. */
  read: verb({
    input: object({ path, range: optional(header), ifRange: optional(header) }, 'read'),
    answer: readBytes,
  }),
  /** The log of a day; for today the current file. */
  readLog: verb({
    input: object({ file: log, day, today: yesOrNo, range: optional(header), ifRange: optional(header) }, 'readLog'),
    answer: readBytes,
  }),
  /** Bytes to the host, preceded by their description. `commit` turns them into the file. */
  write: verb({
    input: object(
      {
        path,
        mode: optional(mode),
        room,
        inodes,
        maxBytes: anyCount,
        /** Its etag, or `*` for any existing file. */
        ifMatch: optional(header),
        /** It must not exist. */
        ifAbsent: optional(yesOrNo),
      },
      'write',
    ),
    answer: shape.fields({}),
  }),
  /**
   * Bytes of an upload, from its current offset; `length` of them, if known. Received bytes are kept even without a
   * commit, unless they exceed the upload's size.
   */
  append: verb({
    input: object({ id, offset: anyCount, length: optional(anyCount), size: anyCount, room, inodes }, 'append'),
    answer: shape.fields({}),
  }),
}

const verbs = { ...fileVerbs, ...byteVerbs }
type VerbName = keyof typeof verbs
const verbNames = Object.keys(verbs)
const verbOf = (name: VerbName): Verb<unknown, unknown> => verbs[name]

const ticketed = shape.fields({ ticket: shape.ticket })

/** Bytes that arrive or leave on their own have a ticket. */
const isAnswer = (name: VerbName, input: unknown, answer: unknown): boolean => {
  const { answer: expected, fits } = verbOf(name)
  return (
    accepts(expected, answer) && (!(name in byteVerbs) || accepts(ticketed, answer)) && (fits?.(input, answer) ?? true)
  )
}

const request = where(
  object(
    {
      account: accountName,
      verb: text(/^[A-Za-z]{1,32}$/) as Schema<VerbName>,
      input: optional(that<object>(() => true)) as Schema<object>,
    },
    'files',
  ),
  ({ verb, input }) => {
    knowsAll([verb], verbNames, 'verb of files')
    check(verbOf(verb).input, input)
    return true
  },
  'files',
)

/** What bytes became: the resulting file, or how much of an upload has arrived. */
const committed = shape.either(entry, shape.fields({ offset: shape.amount }))

/** What the agent itself carries out with an account's files, whose bytes it streams. */
export const fileCommands = {
  /** One verb on an account's files; the ticket for its bytes comes with the answer. */
  files: command({
    input: request,
    result: that<(object & { readonly ticket?: string }) | null>(() => true),
    route: { account: ({ account }) => account.id },
    large: ({ verb }) => verbOf(verb).large ?? false,
    fits: ({ verb, input }, answer) => isAnswer(verb, input, answer),
  }),
  commit: command({ input: object({ ticket, bytes: anyCount }, 'commit'), result: committed as Schema<object> }),
  discard: command({ input: object({ ticket }, 'discard'), result: shape.none }),
}

/** Preconditions for replacing a file. */
export type Conditions = Pick<ByteVerbs['write']['input'], 'ifMatch' | 'ifAbsent'>

type Declared<Table extends Readonly<Record<string, { readonly input: unknown; readonly answer: unknown }>>> = {
  readonly [Verb in keyof Table]: { input: Output<Table[Verb]['input']>; answer: Output<Table[Verb]['answer']> }
}

/** Each verb with its arguments and its answer. */
export type FileVerbs = Declared<typeof fileVerbs>
export type FileVerb = keyof FileVerbs
export type FileInput<Verb extends FileVerb> = FileVerbs[Verb]['input']
export type Answered<Verb extends FileVerb> = FileVerbs[Verb]['answer']

/** Verbs whose bytes use a connection of their own. */
export type ByteVerbs = Declared<typeof byteVerbs> & {
  readonly write: { commit: FileEntry }
  readonly append: { commit: { offset: number } }
}
export type ByteVerb = keyof ByteVerbs
