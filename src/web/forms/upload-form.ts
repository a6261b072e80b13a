import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { invalid, notFound, Problem, withoutRoom } from '../../contract/problem.ts'
import type { Answer } from '../../runtime/operations/run.ts'
import { refuseForeign } from '../http/csrf.ts'
import { formWithFile, MAX_FIELDS_BYTES, type WithFile } from '../http/multipart.ts'
import { actionsOf } from '../kit/actions.ts'
import type { Answered } from '../kit/screen.ts'
import type { PageMatch } from '../pages/match-page.ts'
import { type PageRequest, paramsFor } from '../pages/page-request.ts'
import type { Pages } from '../pages/pages.tsx'
import { refusalToRun } from '../pages/permissions.ts'
import { type C, json, run, serve } from '../panel-request.ts'
import { certificateInFile } from './certificate-file.ts'
import { inputOf } from './operation-form.ts'
import { replaceQuestion } from './replace-question.tsx'
import { spoolToDisk } from './spool.ts'
import { again, answered, paramsIn, refuseOther, type Submission } from './submit-form.tsx'

export const hasFile = (c: C): boolean => /^multipart\/form-data\s*;/i.test(c.req.header('content-type') ?? '')

/** Receives a form with a file: its bytes are streamed to the operation. */
export async function receiveUpload(pages: Pages, c: C): Promise<Response> {
  const match = await pages.matchOf(c)
  refuseForeign(c)
  refuseFiles(match)
  const request = await serve(pages.screens, c, pages.panel)
  if (!request.session.authenticated) throw new Problem('unauthenticated', 'Your session has ended. Sign in again.')
  return pages.enter(request, match, (page) => take(pages, page))
}

const takersOf = ({ screen }: PageMatch): OperationId[] =>
  actionsOf(screen).filter((op) => screen.acts?.[op]?.upload ?? screen.acts?.[op]?.certificateFile)

function refuseFiles(match: PageMatch): void {
  if (takersOf(match).length === 0) throw new Problem('unsupported-media-type', 'This page does not accept files.')
}

/** Reads nothing of a file that no operation of the page may accept. */
function refuseUnallowed({ match, request, context }: PageRequest): void {
  const refusals = takersOf(match).map((op) =>
    neededFor(op)
      .map((id) => refusalToRun(id, request.session, context.features))
      .find((one) => one !== undefined),
  )
  if (refusals.every((one) => one !== undefined)) throw refusals[0]
}

const neededFor = (op: OperationId): OperationId[] => (takesUpload(op) ? [op, 'createUpload'] : [op])
const takesUpload = (op: OperationId): boolean => (operations[op] as Declaration).cli?.upload !== undefined

/** The operation that the form names, among those of its page that accept files. */
function takerOf(match: PageMatch, form: URLSearchParams): OperationId {
  const op = takersOf(match).find((one) => one === form.get('do'))
  if (op === undefined) throw notFound('action')
  return op
}

async function take(pages: Pages, page: PageRequest): Promise<Response> {
  const { request, match } = page
  refuseUnallowed(page)
  const came = await formWithFile(pages.screens.parts(request.c), request.c.req.header('content-type')!)
  const op = takerOf(match, came.form)
  const act = match.screen.acts![op]!
  const sent: Submission = {
    pages,
    request,
    match,
    op,
    act,
    form: came.form,
    hasFile: takesUpload(op) || act.certificateFile === true,
  }
  try {
    refuseOther(request, came.form)
    return (await asksToReplace(came, sent, page)) ?? (await answered(sent, page, await performWith(came, sent, page)))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return await again(sent, page, error)
  } finally {
    came.end()
  }
}

async function performWith(came: WithFile, sent: Submission, page: PageRequest): Promise<Answer> {
  const { form, file } = came
  const { request, match, op, act } = sent
  if (act.certificateFile)
    return run(request, op, { params: paramsIn(sent, page), body: await bodyWithFile(came, sent, page) })
  const { cli, maxBytes: max }: Declaration = operations[op]
  const params = paramsIn(sent, page)
  const { body } = cli?.upload ? await inputOf(request, op, form, page.context.accountId) : { body: undefined }
  if (!file && act.insteadOfFile !== undefined && form.get(act.insteadOfFile)) return run(request, op, { params, body })
  if (!file) throw invalid('file', 'choose a file')
  const least = leastIn(request.c)
  if (cli?.upload) {
    const { field } = cli.upload
    refuseWithoutRoom(page, least)
    return withUpload(page, limited(file, MAX_PART_BYTES), (id) =>
      run(request, op, { params, body: { ...body, [field]: id } }),
    )
  }
  const { query, headers } = act.upload!(form, match.names)
  const own = { ...headers, 'content-length': least === undefined ? undefined : String(least) }
  return run(request, op, { params, query, headers: own, bytes: limited(file, max) })
}

/** Of a file whose content becomes fields. */
const MAX_FORM_FILE_BYTES = 64 * 1024

async function bodyWithFile({ form, file, complete }: WithFile, { request, op }: Submission, page: PageRequest) {
  if (!file) throw invalid('file', 'choose a file')
  const pieces: Buffer[] = []
  for await (const piece of limited(file, MAX_FORM_FILE_BYTES)) pieces.push(piece)
  await complete
  const { body } = await inputOf(request, op, form, page.context.accountId)
  return { ...body, ...(await certificateInFile(Buffer.concat(pieces), form.get('password') ?? '')) }
}

/** If its name is taken, keeps the file as an upload, and asks whether it may replace the other one. */
async function asksToReplace({ form, file }: WithFile, sent: Submission, page: PageRequest) {
  const { request, match, act } = sent
  if (act.replacedBy === undefined || !file) return undefined
  const { path } = act.upload!(form, match.names).query
  const old = path === undefined ? undefined : await fileAt(sent, page, path)
  if (old?.type !== 'file') return undefined
  refuseWithoutRoom(page, leastIn(request.c))
  const upload = await withUpload(page, limited(file, MAX_PART_BYTES), (id) =>
    run(request, 'getUpload', { params: { id: page.context.accountId ?? '', uid: id } }),
  )
  return replaceQuestion(sent, page, { old, upload: json(upload) })
}

const fileAt = ({ request, op }: Submission, page: PageRequest, path: string): Promise<Answered | undefined> =>
  run(request, 'statFile', { params: paramsFor(page, op), query: { path } }).then(json, (error: unknown) => {
    if (error instanceof Problem && error.code === 'not-found') return undefined
    throw error
  })

/** The least number of bytes that the file can have: the rest are fields and boundaries. */
function leastIn(c: C): number | undefined {
  const length = c.req.header('content-length')
  return length === undefined ? undefined : Math.max(0, Number(length) - MAX_FIELDS_BYTES)
}

const mebibyte = 1024 * 1024

/** Receives nothing of a file that cannot fit. */
function refuseWithoutRoom({ context: { usage } }: PageRequest, least = 0): void {
  const { used, limit } = usage?.disk_mb ?? {}
  if (limit === undefined) return
  const room = Math.max(0, limit - used) * mebibyte
  if (least > room) throw withoutRoom(room)
}

const MAX_PART_BYTES = 64 * mebibyte

/** Turns a file into an upload, for operations that take an upload instead of bytes; removes it on failure. */
async function withUpload(
  { request, context: { accountId: id = '' } }: PageRequest,
  file: AsyncIterable<Buffer>,
  perform: (uploadId: string) => Promise<Answer>,
): Promise<Answer> {
  const { size, bytes, end } = await spoolToDisk(file, request.screens.dir, id)
  try {
    const upload = json(await run(request, 'createUpload', { params: { id }, body: { size } }))
    const params = { id, uid: upload.id }
    try {
      const headers = { 'content-length': String(size) }
      await run(request, 'sendUpload', { params, query: { offset: '0' }, headers, bytes: bytes() })
      return await perform(upload.id)
    } catch (error) {
      // Reports the first error.
      await run(request, 'deleteUpload', { params }).catch(() => undefined)
      throw error
    }
  } finally {
    await end()
  }
}

/** Limits the bytes of a file. */
async function* limited(file: AsyncIterable<Buffer>, max = 0): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of file) {
    size += chunk.length
    if (size > max) throw new Problem('too-large', `The file must not exceed ${max} bytes.`)
    yield chunk
  }
}
