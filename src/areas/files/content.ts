import type * as declared from '../../contract/files.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { FileBytes } from '../../host/contract/client.ts'
import type { Caller } from '../../runtime/operations/context.ts'
import { RawAnswer } from '../../runtime/operations/host-call.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import { attachment } from '../../shared/attachment.ts'
import { neededPath, textPath, toEntry } from './encode-path.ts'
import { filesOf } from './of-account.ts'
import { withProblems } from './problem.ts'
import { announcedBy, receiving } from './receiving.ts'

export const readFile: HostHandler<typeof declared.readFile> = {
  async act(ctx, { query }, signal) {
    const path = neededPath(query)
    const [range, ifRange] = ['range', 'if-range'].map((name) => ctx.caller?.header(name))
    const input = { path, ...(range !== undefined && { range }), ...(ifRange !== undefined && { ifRange }) }
    return rawAnswer(await withProblems(() => filesOf(ctx).read(input, { signal })))
  },
}

export function rawAnswer({ answer: { entry, start, length, partial }, stream }: FileBytes): RawAnswer {
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(length),
    'Content-Disposition': attachment(Buffer.from(entry.name, 'base64')),
    'Accept-Ranges': 'bytes',
    'Last-Modified': new Date(entry.modifiedAt).toUTCString(),
    ...(entry.etag !== undefined && { ETag: entry.etag }),
    ...(partial && { 'Content-Range': `bytes ${start}-${start + length - 1}/${entry.size}` }),
  }
  return new RawAnswer(partial ? 206 : 200, headers, stream)
}

const MAX_CONTENT_BYTES = 64 * 1024 * 1024

export const writeFile: HostHandler<typeof declared.writeFile> = {
  record: (ctx, { query }) => ctx.note({ after: { path: textPath(neededPath(query)) } }),
  async receive(ctx, { query }, signal) {
    const input = {
      path: neededPath(query),
      ...(query.mode !== undefined && { mode: query.mode }),
      ...conditions(ctx.caller),
      maxBytes: MAX_CONTENT_BYTES,
    }
    const body = { announced: announcedBy(ctx.caller), max: MAX_CONTENT_BYTES, keepsParts: false }
    const open = (room: object) => withProblems(() => filesOf(ctx).write({ ...input, ...room }, { signal }))
    return receiving(ctx, body, signal, open, toEntry)
  },
}

function conditions(caller: Caller | undefined): { ifMatch?: string; ifAbsent?: boolean } {
  const [ifMatch, ifNoneMatch] = ['if-match', 'if-none-match'].map((name) => caller?.header(name))
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') throw invalid('If-None-Match', 'must be *')
  if (ifMatch !== undefined && ifNoneMatch !== undefined)
    throw new Problem('validation', 'If-Match and If-None-Match cannot be combined.')
  return { ...(ifMatch !== undefined && { ifMatch }), ...(ifNoneMatch !== undefined && { ifAbsent: true }) }
}
