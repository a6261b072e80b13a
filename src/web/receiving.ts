import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { invalid, notFound, Problem, withoutRoom } from '../contract/problem.ts'
import type { Answer } from '../runtime/run.ts'
import { putAside } from './aside.ts'
import { refuseForeign } from './csrf.ts'
import { actsOf } from './kit/acts.ts'
import type { Looking } from './looking.ts'
import { formWithFile, mostBeside, type WithFile } from './multipart.ts'
import type { Pages } from './pages.tsx'
import type { Place } from './place.ts'
import { again, answered, paramsIn, refuseOther, type Sent } from './posting.tsx'
import { refusalToRun } from './rights.ts'
import { type C, json, run, serve } from './served.ts'

export const bringsFile = (c: C): boolean => /^multipart\/form-data\s*;/i.test(c.req.header('content-type') ?? '')

/** Receives a form with a file: its bytes are streamed to the operation. */
export async function receive(pages: Pages, c: C): Promise<Response> {
  const place = await pages.placeOf(c)
  refuseForeign(c)
  refuseFiles(place)
  const served = await serve(pages.screens, c, pages.panel)
  if (!served.session.authenticated) throw new Problem('unauthenticated', 'Your session has ended. Sign in again.')
  return pages.enter(served, place, (looking) => take(pages, looking))
}

const takersOf = ({ screen }: Place): OperationId[] => actsOf(screen).filter((op) => screen.acts?.[op]?.receives)

function refuseFiles(place: Place): void {
  if (takersOf(place).length === 0) throw new Problem('unsupported-media-type', 'This page does not accept files.')
}

/** Reads nothing of a file that no operation of the page may accept. */
function refuseUnallowed({ place, served, around }: Looking): void {
  const refusals = takersOf(place).map((op) =>
    neededFor(op)
      .map((id) => refusalToRun(id, served.session, around.features))
      .find((one) => one !== undefined),
  )
  if (refusals.every((one) => one !== undefined)) throw refusals[0]
}

const neededFor = (op: OperationId): OperationId[] => (takesUpload(op) ? [op, 'createUpload'] : [op])
const takesUpload = (op: OperationId): boolean => (operations[op] as Declaration).cli?.upload !== undefined

/** The operation that the form names, among those of its page that accept files. */
function takerOf(place: Place, form: URLSearchParams): OperationId {
  const op = takersOf(place).find((one) => one === form.get('do'))
  if (op === undefined) throw notFound('action')
  return op
}

async function take(pages: Pages, looking: Looking): Promise<Response> {
  const { served, place } = looking
  refuseUnallowed(looking)
  const came = await formWithFile(pages.screens.parts(served.c), served.c.req.header('content-type')!)
  const op = takerOf(place, came.form)
  const act = place.screen.acts![op]!
  const sent: Sent = { pages, served, place, op, act, form: came.form, untold: takesUpload(op) }
  try {
    refuseOther(served, came.form)
    return await answered(sent, looking, await performWith(came, sent, looking))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return await again(sent, looking, error)
  } finally {
    came.end()
  }
}

async function performWith({ form, file }: WithFile, sent: Sent, looking: Looking): Promise<Answer> {
  if (!file) throw invalid('file', 'choose a file')
  const { served, place, op, act } = sent
  const { cli, most }: Declaration = operations[op]
  const params = paramsIn(sent, looking)
  const least = leastIn(served.c)
  if (cli?.upload) {
    const { field } = cli.upload
    refuseWithoutRoom(looking, least)
    return withUpload(looking, limited(file, largest), (id) => run(served, op, { params, body: { [field]: id } }))
  }
  const { query, headers } = act.receives!(form, place.names)
  const own = { ...headers, 'content-length': least === undefined ? undefined : String(least) }
  return run(served, op, { params, query, headers: own, bytes: limited(file, most) })
}

/** The least number of bytes that the file can have: the rest are fields and boundaries. */
function leastIn(c: C): number | undefined {
  const length = c.req.header('content-length')
  return length === undefined ? undefined : Math.max(0, Number(length) - mostBeside)
}

const mebibyte = 1024 * 1024

/** Receives nothing of a file that cannot fit. */
function refuseWithoutRoom({ around: { usage } }: Looking, least = 0): void {
  const { used, limit } = usage?.disk_mb ?? {}
  if (limit === undefined) return
  const room = Math.max(0, limit - used) * mebibyte
  if (least > room) throw withoutRoom(room)
}

const largest = 64 * mebibyte

/** Turns a file into an upload, for operations that take an upload instead of bytes; removes it on failure. */
async function withUpload(
  { served, around: { accountId: id = '' } }: Looking,
  file: AsyncIterable<Buffer>,
  perform: (uploadId: string) => Promise<Answer>,
): Promise<Answer> {
  const { size, bytes, end } = await putAside(file, served.screens.dir, id)
  try {
    const upload = json(await run(served, 'createUpload', { params: { id }, body: { size } }))
    const params = { id, uid: upload.id }
    try {
      const headers = { 'content-length': String(size) }
      await run(served, 'sendUpload', { params, query: { offset: '0' }, headers, bytes: bytes() })
      return await perform(upload.id)
    } catch (error) {
      // Reports the first error.
      await run(served, 'deleteUpload', { params }).catch(() => undefined)
      throw error
    }
  } finally {
    await end()
  }
}

/** Limits the bytes of a file. */
async function* limited(file: AsyncIterable<Buffer>, most = 0): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of file) {
    size += chunk.length
    if (size > most) throw new Problem('too-large', `The file must not exceed ${most} bytes.`)
    yield chunk
  }
}
