import { invalid } from '../../contract/problem.ts'
import { namesOf } from './names.ts'
import type { DomainRow, RedirectRow } from './tables.ts'

type NewRedirect = Pick<RedirectRow, 'path' | 'match' | 'target' | 'keep_path'>

const challenges = '/.well-known/acme-challenge'

/** 400 for an invalid redirect; returns the target as it is stored. */
export function checkedTarget(domain: DomainRow, redirect: NewRedirect): string {
  const path = pathProblem(redirect)
  if (path) throw invalid('path', path)
  const url = targetOf(redirect.target)
  if (typeof url === 'string') throw invalid('target', url)
  if (redirect.keep_path && !(redirect.match === 'prefix' && redirect.path === '/'))
    throw invalid('keep_path', 'needs the path / and the match prefix')
  if (redirect.keep_path && `${url.pathname}${url.search}${url.hash}` !== '/')
    throw invalid('keep_path', 'needs a target without a path')
  if (leadsBack(domain, redirect, url)) throw invalid('target', 'would redirect to itself')
  return url.href
}

function pathProblem({ path, match }: Pick<NewRedirect, 'path' | 'match'>): string | undefined {
  if (path === challenges || path.startsWith(`${challenges}/`)) return 'is where certificates are confirmed'
  if (path === '/') return undefined
  if (match === 'prefix' && path.endsWith('/')) return 'must not end in / where it is a prefix'
  const segments = path.replace(/\/$/, '').slice(1).split('/')
  const odd = segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  return odd ? 'must not have an empty segment, . or ..' : undefined
}

/** The URL, or why it is invalid. */
function targetOf(text: string): URL | string {
  if (!/^[\x21-\x7e]+$/.test(text)) return 'must have no blanks, controls or characters beyond ASCII'
  const forbidden = /["'\\$`{};]/.exec(text)?.[0]
  if (forbidden) return `must not have ${forbidden}`
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return 'must be an absolute http:// or https:// URL'
  const url = new URL(text)
  if (url.username || url.password) return 'must have no user name or password'
  return url.href.length > 2048 ? 'must have at most 2048 characters' : url
}

/** Whether the target would be redirected by the same rule again. */
function leadsBack(domain: DomainRow, { path, match }: NewRedirect, { hostname, port, pathname }: URL): boolean {
  if (port !== '' || !isServed(domain, hostname.replace(/\.$/, ''))) return false
  const reached = asMatched(pathname)
  if (match === 'exact') return reached === path
  return path === '/' || reached === path || reached.startsWith(`${path}/`)
}

function isServed(domain: DomainRow, host: string): boolean {
  if (domain.name.startsWith('*.')) return host.endsWith(domain.name.slice(1))
  return namesOf(domain).includes(host)
}

/** The web server matches decoded paths with single slashes. */
function asMatched(pathname: string): string {
  const decoded = pathname.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
  return decoded.replace(/\/+/g, '/')
}
