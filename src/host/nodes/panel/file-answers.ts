import type { Inputs } from '../../agent/protocol/messages.ts'
import { type ByteVerb, type FileInput, type FileVerb, MAX_TRASH_ITEMS } from '../../contract/driver.ts'
import {
  amount,
  count,
  either,
  exactly,
  fields,
  flag,
  list,
  maybe,
  none,
  oneOf,
  plain,
  type Shape,
  text,
} from './shape.ts'

export const ticket = exactly(/^[0-9a-f]{32}$/)
const id = exactly(/^[0-9A-Z]{26}$/)
/** Base64. */
const bytes = text(8192)
const file = text(4096)
const sentences = list(text(20_000), 1000)

const type = oneOf('file', 'directory', 'link', 'other')
const presented = { name: bytes, path: bytes, type, size: amount, mode: exactly(/^[0-7]{3,5}$/), modifiedAt: amount }
const entry = fields({ ...presented, target: maybe(bytes), etag: maybe(plain(200)) })
const trashed = fields({ id, path: bytes, type, size: amount, deletedAt: amount })
const log = fields({ file, size: amount, modifiedAt: amount, days: list(exactly(/^\d{4}-\d\d-\d\d$/), 10_000) })
const place = fields({ file, offset: amount, born: maybe(text(100)) })
const line = text(100_000)
const read = fields({ entry, start: amount, length: amount, partial: flag, ticket })
const ticketed = fields({ ticket })
const files = { files: count }

const shapes: { readonly [Verb in FileVerb | ByteVerb]: Shape } = {
  list: fields({ items: list(entry), total: count, next: maybe(bytes) }),
  stat: entry,
  makeDirectory: entry,
  move: entry,
  chmod: entry,
  trash: trashed,
  listTrash: fields({ items: list(trashed, MAX_TRASH_ITEMS) }),
  restore: entry,
  emptyTrash: fields({ removed: count }),
  uploadSizes: fields({ sizes: list(amount) }),
  foresee: none,
  copy: fields(files),
  archive: fields({ ...files, size: amount, warnings: sentences }),
  extract: fields({ files: maybe(count), bytes: maybe(amount), warnings: maybe(sentences) }),
  listLogs: fields({ items: list(log) }),
  tailLog: fields({ lines: list(line), next: place, gap: maybe(flag) }),
  dropUpload: none,
  saveUpload: entry,
  read,
  readLog: read,
  write: ticketed,
  append: ticketed,
}

/** Bounds on each verb's answer, from its request. */
const bounds: { readonly [Verb in FileVerb]?: (input: FileInput<Verb>, answer: never) => boolean } = {
  list: ({ limit }, { items }: { items: unknown[] }) => items.length <= limit,
  tailLog: ({ limit }, { lines }: { lines: unknown[] }) => lines.length <= limit,
  uploadSizes: ({ ids }, { sizes }: { sizes: unknown[] }) => sizes.length === ids.length,
}

export function isFileAnswer({ verb, input }: Inputs['files'], answer: unknown): boolean {
  const bound = bounds[verb as FileVerb] as ((reported: object, answer: unknown) => boolean) | undefined
  return shapes[verb](answer) && (bound?.(input, answer) ?? true)
}

/** For sent bytes: the resulting file, or how much of an upload has arrived. */
export const committed = either(entry, fields({ offset: amount }))
