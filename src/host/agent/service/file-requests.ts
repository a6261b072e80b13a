import type { ByteVerb, ByteVerbs, FileInput, FileVerb, LogPlace, TailPlace } from '../../contract/driver.ts'
import {
  complete,
  type FieldCheck,
  fields,
  knowsAll,
  listOf,
  object,
  oneOf,
  optional,
  patterns,
  text,
  yesOrNo,
} from '../../contract/fields.ts'
import { archiveFormats, nameEncodings } from '../../contract/files.ts'

/** A path of 4,096 bytes, with a margin so that a longer one gets its own error. */
const path = text(/^[A-Za-z0-9+/]*={0,2}$/, 16_384)
const log = text(/^(?:[a-z0-9_-]+[a-z0-9_.-]*\.(?:access|error|app)\.log|php\.log)$/, 300)
const id = text(patterns.id)
const mode = text(/^0[0-7]{3}$/)
const header = text(/^[^\0\r\n]*$/, 16_384)
/** A position in a log. */
const placeFields = { file: text(/^\d{1,20}$/), offset: complete(0, Number.MAX_SAFE_INTEGER) }
export const place = object<LogPlace>(placeFields, 'a place')
const tailPlace = object<TailPlace>({ ...placeFields, born: optional(text(/^\d{1,20}$/)) }, 'a place')
const moment = complete(0, Number.MAX_SAFE_INTEGER)
const size = complete(0, Number.MAX_SAFE_INTEGER)

type InputOf<Verb> = Verb extends FileVerb ? FileInput<Verb> : Verb extends ByteVerb ? ByteVerbs[Verb]['input'] : never
type Checks<Verb extends FileVerb | ByteVerb> = { readonly [Field in keyof Required<InputOf<Verb>>]: FieldCheck }

/** The arguments of each verb, field by field; paths are checked as they are walked. */
const checks: { readonly [Verb in FileVerb | ByteVerb]: Checks<Verb> } = {
  list: { path, limit: complete(1, 1_000), after: optional(path) },
  stat: { path },
  makeDirectory: { path, parents: yesOrNo },
  move: { from: path, to: path, overwrite: yesOrNo },
  chmod: { path, mode },
  trash: { path, id, now: moment, whenFull: optional(oneOf('undescribed')) },
  listTrash: {},
  restore: { id, to: optional(path) },
  emptyTrash: { before: moment },
  uploadSizes: { ids: listOf(id, 100) },
  foresee: { work: oneOf('copy', 'archive', 'extract'), from: listOf(path, 1_000), to: path },
  copy: { id, from: path, to: path, room: optional(size) },
  archive: {
    id,
    paths: listOf(path, 1_000),
    to: path,
    format: oneOf(...archiveFormats),
    room: optional(size),
  },
  extract: {
    id,
    path,
    to: path,
    overwrite: yesOrNo,
    nameEncoding: optional(oneOf(...nameEncodings)),
    room: optional(size),
  },
  listLogs: {},
  tailLog: {
    file: log,
    since: optional(tailPlace),
    limit: complete(1, 1_000),
    q: optional(text(/^[\s\S]*$/, 200)),
    secrets: optional(listOf(text(/^[\s\S]*$/, 32_768), 200)),
  },
  readLog: {
    file: log,
    day: text(/^\d{4}-\d{2}-\d{2}$/),
    today: yesOrNo,
    range: optional(header),
    ifRange: optional(header),
  },
  dropUpload: { id },
  saveUpload: { path, id, size, sha256: optional(text(/^[0-9a-f]{64}$/)), overwrite: yesOrNo, mode: optional(mode) },
  append: { id, offset: size, length: optional(size), size, room: optional(size) },
  read: { path, range: optional(header), ifRange: optional(header) },
  write: {
    path,
    mode: optional(mode),
    room: optional(size),
    maxBytes: size,
    ifMatch: optional(header),
    ifAbsent: optional(yesOrNo),
  },
}

export const fileVerbs = Object.keys(checks)

/** Refuses a verb, or a field of one, that this host does not know. */
export function checkInput(verb: FileVerb | ByteVerb, input: object): void {
  knowsAll([verb], fileVerbs, 'verb of files')
  fields<Record<string, unknown>>(checks[verb] as Record<string, FieldCheck>, verb)(input as Record<string, unknown>)
}
