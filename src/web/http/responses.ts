import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import { type Child, Fragment, jsx } from 'hono/jsx'
import { notFound } from '../../contract/problem.ts'
import { attachment } from '../../shared/attachment.ts'
import { Theme } from '../pages/frame/layout.tsx'
import type { C, Screens } from '../panel-request.ts'
import { inLanguageOf } from './language.ts'
import { preferencesOf } from './preferences.ts'

/** Pages load only the panel's own files, and submit forms only to it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types panel',
].join('; ')

const denied = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'midi', 'display-capture']
  .map((name) => `${name}=()`)
  .join(', ')

/** On every page and redirect. With no referrer at all, browsers would send `Origin: null` with forms. */
export const pageHeaders = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': `${denied}, clipboard-write=(self)`,
  Vary: 'Cookie, Accept-Encoding, Accept-Language',
}

/** For a page whose form may redirect to another site, which browsers judge as well. */
export const submittingTo = (source: string): Headers => ({
  'Content-Security-Policy': policy.replace("form-action 'self'", `form-action 'self' ${source}`),
})

type Headers = Readonly<Record<string, string>>

/** For programs that parse a 401. */
const bearer = { 'WWW-Authenticate': 'Bearer' }

/** For pages that Back may show again; nothing else is cached. */
export const NO_CACHE = { 'Cache-Control': 'private, no-cache' } as const

/** A document, compressed if the browser accepts it. */
export function html(screens: Screens, c: C, node: Child, status = 200, headers: Headers = {}): Promise<Response> {
  const own = { ...pageHeaders, 'Content-Type': 'text/html; charset=utf-8', ...(status === 401 && bearer) }
  const all = { ...screens.headers, ...own, ...headers }
  const themed = jsx(Theme.Provider, { value: preferencesOf(c).theme }, node as Child)
  const page = inLanguageOf(c, () => Buffer.from(`<!doctype html>${themed}`))
  return packed(c, page, status, all)
}

/** Part of a document. */
export function fragment(screens: Screens, c: C, node: Child): Promise<Response> {
  const all = { ...screens.headers, ...pageHeaders, 'Content-Type': 'text/html; charset=utf-8', ...NO_CACHE }
  const part = inLanguageOf(c, () => Buffer.from(String(Fragment({ children: node }))))
  return packed(c, part, 200, all)
}

/** A file to save, never to display. */
export function download({ headers }: Screens, name: string, data: string | undefined): Response {
  if (data === undefined) throw notFound('file')
  const own = {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': attachment(name),
    'Content-Security-Policy': 'sandbox',
  }
  return new Response(data, { headers: { ...headers, ...own } })
}

const MIN_COMPRESSED_BYTES = 1_000
/** Compressing more than this synchronously would hold up other requests. */
const MAX_SYNC_GZIP_BYTES = 64 * 1024
/** A third of the time of level 6, for 5 % more bytes. */
export const packing = { level: 3 } as const

async function packed(c: C, bytes: Buffer, status: number, headers: Headers): Promise<Response> {
  const takes = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
  if (!takes || bytes.length < MIN_COMPRESSED_BYTES) return new Response(bytes, { status, headers })
  const body = bytes.length > MAX_SYNC_GZIP_BYTES ? await gzipAsync(bytes, packing) : gzipSync(bytes, packing)
  return new Response(body, { status, headers: { ...headers, 'Content-Encoding': 'gzip' } })
}

/** Runs in another thread. */
const gzipAsync = promisify<Buffer, typeof packing, Buffer>(gzip)

export const redirect = (screens: Screens, to: string, status: 302 | 303 = 303, headers: Headers = {}): Response =>
  new Response(null, { status, headers: { ...screens.headers, ...pageHeaders, ...headers, Location: to } })
