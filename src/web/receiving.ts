import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import type { Around } from './around.ts'
import { refuseForeign } from './csrf.ts'
import type { Receives } from './kit/screen.ts'
import { formWithFile, type WithFile } from './multipart.ts'
import type { Pages } from './pages.tsx'
import type { Place } from './place.ts'
import { again, answered, paramsIn, refuseOther, type Sent } from './posting.tsx'
import { type C, type Served, serve } from './served.ts'
import { lookAt } from './visit.ts'

export const bringsFile = (c: C): boolean => /^multipart\/form-data\s*;/i.test(c.req.header('content-type') ?? '')

interface Taking {
  readonly op: OperationId
  readonly receives: Receives
}

/** A form that brings a file: its bytes go to the operation as they come. */
export async function receive(pages: Pages, c: C): Promise<Response> {
  const place = await pages.placeOf(c)
  const taking = takingOf(place)
  const served = await serve(pages.screens, c, pages.panel)
  if (!served.session.authenticated) throw new Problem('unauthenticated', 'Your session has ended. Sign in again.')
  const gated = await pages.signIn.gate(served)
  return gated ?? pages.guarded(served, place, (around) => take(pages, served, place, around, taking))
}

function takingOf({ screen: { acts = {} } }: Place): Taking {
  for (const op of Object.keys(acts) as OperationId[]) {
    const receives = acts[op]?.receives
    if (receives) return { op, receives }
  }
  throw new Problem('unsupported-media-type', 'This page takes no files.')
}

async function take(pages: Pages, served: Served, place: Place, around: Around, { op, receives }: Taking) {
  refuseForeign(served.c)
  const looking = await lookAt(served, await pages.map(), place, around)
  const came = await formWithFile(pages.screens.parts(served.c), served.c.req.header('content-type')!)
  const sent: Sent = { pages, served, place, op, form: came.form }
  try {
    refuseOther(served, came.form)
    const told = receives(came.form, place.names)
    const answer = await pages.screens.perform(served.c, op, {
      params: paramsIn(sent, looking),
      query: told.query,
      // The length is that of the whole form.
      headers: { ...told.headers, 'content-length': undefined },
      bytes: fileOf(came, operations[op]),
      csrf: served.session.csrf_token,
    })
    return await answered(sent, looking, answer)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return await again(sent, looking, error)
  } finally {
    came.end()
  }
}

/** No more of it than the operation takes. */
async function* fileOf({ file }: WithFile, { most = 0 }: Declaration): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of file) {
    size += chunk.length
    if (size > most) throw new Problem('too-large', `The file must not exceed ${most} bytes.`)
    yield chunk
  }
}
