import { Readable } from 'node:stream'
import type { OperationId } from '../../contract/index.ts'
import { notFound } from '../../contract/problem.ts'
import { webStream } from '../../shared/web-stream.ts'
import type { ScreenContent } from '../kit/screen.ts'
import { type Input, type PanelRequest, run } from '../panel-request.ts'
import { pageHeaders } from './responses.ts'

const MAX_CONTENT_BYTES = 1024 * 1024

/** Always the whole body, whatever range the browser asks for. */
const WITHOUT_RANGE = { range: undefined, 'if-range': undefined }

/** The bytes that an operation returns, up to what a page can show. */
export async function contentOf(request: PanelRequest, id: OperationId, input: Input): Promise<ScreenContent> {
  const answer = await run(request, id, { ...input, headers: WITHOUT_RANGE })
  const stream = answer.stream ?? Readable.from([])
  const etag = answer.headers['ETag'] ?? ''
  if (Number(answer.headers['Content-Length']) <= MAX_CONTENT_BYTES) return { bytes: await gather(stream), etag }
  stream.destroy()
  return { etag }
}

async function gather(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The bytes as a file to save: a customer's file may be a hostile page. */
export async function savedAs(request: PanelRequest, id: OperationId, input: Input): Promise<Response> {
  const { screens, c } = request
  const { status, headers, stream } = await run(request, id, input)
  if (!stream) throw notFound('file')
  if (c.req.raw.method === 'HEAD') stream.destroy()
  const own = { 'Content-Security-Policy': 'sandbox', 'Cache-Control': 'no-store' }
  return new Response(webStream(stream), {
    status,
    headers: { ...screens.headers, ...pageHeaders, ...headers, ...own },
  })
}
