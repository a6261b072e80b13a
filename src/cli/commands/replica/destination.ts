import { resolve } from 'node:path'
import { usage } from '../../errors.ts'

/** A destination, as Litestream is configured. */
export interface Destination {
  readonly type: 'file' | 's3' | 'sftp'
  /** Its configuration; not secret. */
  readonly fields: Readonly<Record<string, string>>
  /** Its name in messages. */
  readonly label: string
}

const forms = 'use sftp://user@host/path, s3://bucket/path, or /a/path of this machine'

/** Parses a destination. A password in it would be visible to others on this machine. */
export function destinationOf(to: string): Destination {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(to)) throw usage('--to must not contain control characters', forms)
  if (to.startsWith('/')) return { type: 'file', fields: { path: resolve(to) }, label: resolve(to) }
  if (!URL.canParse(to)) throw usage(`--to ${to} is not a place`, forms)
  const url = new URL(to)
  if (url.password) throw usage('--to must not contain a password: others on this machine could read it', forms)
  if (url.protocol === 's3:') return bucketOf(url)
  if (url.protocol === 'sftp:') return folderOf(url)
  throw usage(`--to ${to} is not a place that can be copied to`, forms)
}

const pathOf = ({ pathname }: URL): string => decodeURIComponent(pathname).replace(/^\/+/, '')

function bucketOf(url: URL): Destination {
  if (!url.hostname) throw usage('--to names no bucket', forms)
  const path = pathOf(url) || 'panel'
  return { type: 's3', fields: { bucket: url.hostname, path }, label: `s3://${url.hostname}/${path}` }
}

function folderOf(url: URL): Destination {
  const path = `/${pathOf(url)}`
  if (!url.hostname || !url.username || path === '/') throw usage('--to needs a user, a host and a path', forms)
  const host = `${url.hostname}:${url.port || '22'}`
  return { type: 'sftp', fields: { host, user: url.username, path }, label: `sftp://${url.username}@${host}${path}` }
}
