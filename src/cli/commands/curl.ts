import { pathOf, type Request } from '../request/client.ts'
import type { Target } from '../target/target.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** curl takes a pinned key in base64. */
const pinOf = (pin: string): string => `sha256//${Buffer.from(pin.replace(/^sha256:/, ''), 'hex').toString('base64')}`

/** The request for curl. The token stays in the environment, so that it is not copied along; a session needs one too. */
export function curl(target: Target, request: Request): string {
  const parts = [
    'curl',
    ...(target.socket ? ['--unix-socket', quoted(target.socket)] : []),
    ...(target.ca ? ['--cacert', quoted(target.ca)] : []),
    ...(request.method === 'GET' ? [] : ['-X', request.method]),
    ...(target.pin ? ['--insecure', '--pinnedpubkey', quoted(pinOf(target.pin))] : []),
    ...(target.token || target.session ? ['-H', '"Authorization: Bearer $PANEL_TOKEN"'] : []),
    ...(request.body === undefined
      ? []
      : ['-H', quoted('Content-Type: application/json'), '--data', quoted(JSON.stringify(request.body))]),
    quoted(target.url.origin + pathOf(target, request)),
  ]
  return parts.join(' ')
}
