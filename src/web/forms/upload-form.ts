import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { invalid, notFound, Problem, withoutRoom } from '../../contract/problem.ts'
import type { Answer } from '../../runtime/operations/run.ts'
import { pemOfBytes } from '../../shared/pem-file.ts'
import { refuseForeign } from '../http/csrf.ts'
import {
  formWithFile,
  formWithSmallFiles,
  MAX_FIELDS_BYTES,
  type WithFile,
  type WithSmallFiles,
} from '../http/multipart.ts'
import { actionsOf } from '../kit/actions.ts'
import type { Answered } from '../kit/screen.ts'
import type { PageMatch } from '../pages/match-page.ts'
import { type PageRequest, paramsFor } from '../pages/page-request.ts'
import type { Pages } from '../pages/pages.tsx'
import { refusalToRun } from '../pages/permissions.ts'
import { type C, json, type PanelRequest, run, serve } from '../panel-request.ts'
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
  actionsOf(screen).filter((op) => screen.acts?.[op]?.upload ?? screen.acts?.[op]?.certificateFiles)

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

const neededFor = (op: OperationId): OperationId[] => (takesUpload(op) ? [op, uploadsFor(op).create] : [op])
const takesUpload = (op: OperationId): boolean => (operations[op] as Declaration).cli?.upload !== undefined

/** The operations that carry an upload: of an account, or of an archive that no account has yet. */
const uploadsFor = (op: OperationId) =>
  (operations[op] as Declaration).area === 'imports'
    ? ({ create: 'createImportUpload', send: 'sendImportUpload', remove: 'deleteImportUpload' } as const)
    : ({ create: 'createUpload', send: 'sendUpload', remove: 'deleteUpload' } as const)

/** The operation that the form names, among those of its page that accept files. */
function takerOf(match: PageMatch, form: URLSearchParams): OperationId {
  const op = takersOf(match).find((one) => one === form.get('do'))
  if (op === undefined) throw notFound('action')
  return op
}

async function take(pages: Pages, page: PageRequest): Promise<Response> {
  const { request, match } = page
  refuseUnallowed(page)
  if (takersOf(match).every((op) => match.screen.acts?.[op]?.certificateFiles)) return takeSmall(pages, page)
  const came = await formWithFile(pages.screens.parts(request.c), request.c.req.header('content-type')!)
  const sent = submissionOf(pages, page, came.form)
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

function submissionOf(pages: Pages, { request, match }: PageRequest, form: URLSearchParams): Submission {
  const op = takerOf(match, form)
  const act = match.screen.acts![op]!
  const hasFile = takesUpload(op) || act.certificateFiles === true
  return { pages, request, match, op, act, form, hasFile }
}

/** Of a file whose content becomes fields. */
const MAX_FORM_FILE_BYTES = 64 * 1024

/** Reads the complete form: its files become fields. */
async function takeSmall(pages: Pages, page: PageRequest): Promise<Response> {
  const { request } = page
  const type = request.c.req.header('content-type')!
  const came = await formWithSmallFiles(pages.screens.parts(request.c), type, MAX_FORM_FILE_BYTES)
  const sent = submissionOf(pages, page, came.form)
  try {
    refuseOther(request, came.form)
    const input = { params: paramsIn(sent, page), body: await bodyWithCertificate(came, sent, page) }
    return await answered(sent, page, await run(request, sent.op, input))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return await again(sent, page, error)
  }
}

/** What was pasted, and in its place what the files say. */
async function bodyWithCertificate({ form, files }: WithSmallFiles, { request, op }: Submission, page: PageRequest) {
  const [certificate, key, chain] = ['file', 'key_file', 'chain_file'].map((name) => files.get(name))
  if (!certificate && !form.get('certificate'))
    throw invalid('file', 'choose the file of the certificate, or paste the certificate below')
  const { body } = await inputOf(request, op, form, page.context.accountId)
  return {
    ...body,
    ...(key && { private_key: textIn('key_file', key) }),
    ...(chain && { ca_bundle: textIn('chain_file', chain) }),
    ...(certificate && (await certificateInFile(certificate, form.get('password') ?? ''))),
  }
}

function textIn(field: string, bytes: Buffer): string {
  const text = pemOfBytes(bytes)
  if (!text?.includes('-----BEGIN ')) throw invalid(field, 'is neither PEM nor DER')
  return text
}

async function performWith(came: WithFile, sent: Submission, page: PageRequest): Promise<Answer> {
  const { form, file } = came
  const { request, match, op, act } = sent
  const { cli, maxBytes: max }: Declaration = operations[op]
  const params = paramsIn(sent, page)
  // Fields may follow the file.
  const bodyNow = async () => {
    await came.complete
    return (await inputOf(request, op, form, page.context.accountId)).body
  }
  if (!file) {
    const body = cli?.upload ? await bodyNow() : undefined
    if (act.insteadOfFile?.some((name) => form.get(name))) return run(request, op, { params, body })
    throw invalid('file', act.insteadOfFile?.includes('upload_id') ? 'choose an archive' : 'choose a file')
  }
  const least = leastIn(request.c)
  if (cli?.upload) {
    const { field } = cli.upload
    refuseWithoutRoom(page, least)
    return withUpload(page, { op, file: limited(file, MAX_PART_BYTES) }, async (id) =>
      run(request, op, { params, body: { ...(await bodyNow()), [field]: id } }),
    )
  }
  const { query, headers } = act.upload!(form, match.names)
  const own = { ...headers, 'content-length': least === undefined ? undefined : String(least) }
  return run(request, op, { params, query, headers: own, bytes: limited(file, max) })
}

/** If its name is taken, keeps the file as an upload, and asks whether it may replace the other one. */
async function asksToReplace({ form, file }: WithFile, sent: Submission, page: PageRequest) {
  const { request, match, act } = sent
  if (act.replacedBy === undefined || !file) return undefined
  const { path } = act.upload!(form, match.names).query
  const old = path === undefined ? undefined : await fileAt(sent, page, path)
  if (old?.type !== 'file') return undefined
  refuseWithoutRoom(page, leastIn(request.c))
  const upload = await withUpload(page, { op: sent.op, file: limited(file, MAX_PART_BYTES) }, (id) =>
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

interface Uploaded {
  readonly op: OperationId
  readonly file: AsyncIterable<Buffer>
}

/** Turns a file into an upload, for operations that take an upload instead of bytes; removes it on failure. */
async function withUpload(
  { request, context: { accountId: id } }: PageRequest,
  { op, file }: Uploaded,
  perform: (uploadId: string) => Promise<Answer>,
): Promise<Answer> {
  const { create, send, remove } = uploadsFor(op)
  const owner = id === undefined ? {} : { id }
  const { size, bytes, end } = await spoolToDisk(file, request.screens.dir, id ?? `archives of ${nameOf(request)}`)
  try {
    const upload = json(await run(request, create, { params: owner, body: { size } }))
    const params = { ...owner, uid: upload.id }
    try {
      const headers = { 'content-length': String(size) }
      await run(request, send, { params, query: { offset: '0' }, headers, bytes: bytes() })
      return await perform(upload.id)
    } catch (error) {
      // Reports the first error.
      await run(request, remove, { params }).catch(() => undefined)
      throw error
    }
  } finally {
    await end()
  }
}

const nameOf = ({ session }: PanelRequest): string => session.username ?? ''

/** Limits the bytes of a file. */
async function* limited(file: AsyncIterable<Buffer>, max = 0): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of file) {
    size += chunk.length
    if (size > max) throw new Problem('too-large', `The file must not exceed ${max} bytes.`)
    yield chunk
  }
}
