import { curlLine } from '../../shared/command-line/curl.ts'
import { pathOf, type Request } from '../request/client.ts'
import type { Target } from '../target/target.ts'

/** The request for curl, to the server that the command would use. */
export const curl = (target: Target, request: Request): string =>
  curlLine({
    method: request.method,
    url: target.url.origin + pathOf(target, request),
    ...(request.body !== undefined && { body: request.body }),
    token: Boolean(target.token || target.session),
    ...(target.socket && { socket: target.socket }),
    ...(target.ca && { ca: target.ca }),
    ...(target.pin && { pin: target.pin }),
  })
