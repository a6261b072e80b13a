import type * as declared from '../../contract/files.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { FileBytes } from '../../host/client.ts'
import type { Caller } from '../../runtime/context.ts'
import { RawAnswer } from '../../runtime/host-call.ts'
import type { HostHandler } from '../../runtime/run.ts'
import { attachment } from '../../shared/attachment.ts'
import { filesOf } from './of-account.ts'
import { withProblems } from './problem.ts'
import { announcedBy, receiving } from './receiving.ts'
import { neededPath, shownPath, toEntry } from './wire.ts'

export const readFile: HostHandler<typeof declared.readFile> = {
  async act(ctx, { query }, signal) {
    const path = neededPath(query)
    const [range, ifRange] = ['range', 'if-range'].map((name) => ctx.caller?.header(name))
    const told = { path, ...(range !== undefined && { range }), ...(ifRange !== undefined && { ifRange }) }
    return rawAnswer(await withProblems(() => filesOf(ctx).read(told, { signal })))
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

const largest = 64 * 1024 * 1024

export const writeFile: HostHandler<typeof declared.writeFile> = {
  record: (ctx, { query }) => ctx.note({ after: { path: shownPath(neededPath(query)) } }),
  async receive(ctx, { query }, signal) {
    const told = {
      path: neededPath(query),
      ...(query.mode !== undefined && { mode: query.mode }),
      ...conditions(ctx.caller),
      most: largest,
    }
    const body = { announced: announcedBy(ctx.caller), most: largest, keepsParts: false }
    const open = (room: object) => withProblems(() => filesOf(ctx).write({ ...told, ...room }, { signal }))
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
