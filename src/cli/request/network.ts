import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { systemDirectory } from '../../shared/directory.ts'
import { badAnswer, CliError, denied, unreachable, untrusted } from '../errors.ts'
import type { ServerTarget } from '../target/target.ts'

interface SystemError extends Error {
  readonly code?: string
}

const resets = new Set(['ECONNRESET', 'EPIPE'])
const certificateErrors = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH)/
const noTls = /^(EPROTO|ERR_SSL_|ERR_TLS_)/
const noHttp = /^HPE_/

/** Explains a network error, and what to do about it. */
export function networkError(error: SystemError, target: ServerTarget): CliError & { reset?: true } {
  if (error instanceof CliError) return error
  const code = error.code ?? ''
  if (target.socket && (code === 'EACCES' || code === 'EPERM')) return notAllowed(target.socket)
  if (target.socket && (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTSOCK'))
    return notServing(target.socket)
  if (certificateErrors.test(code)) return unknownCertificate(error, target)
  if (noHttp.test(code)) return badAnswer(target)
  const failed = unreachable(`${target.label} cannot be reached: ${reasonOf(error)}`, hintFor(code, target))
  return resets.has(code) ? Object.assign(failed, { reset: true as const }) : failed
}

const notRoot = (): boolean => process.getuid?.() !== 0

const notAllowed = (socket: string): CliError =>
  denied(`no permission to open ${socket}`, notRoot() ? 'opening it gives root access: try again with sudo' : undefined)

function notServing(socket: string): CliError {
  if (dirname(socket) === resolve('.panel'))
    return unreachable(`no server is listening on ${socket}`, 'start it with: npm start')
  const elsewhere = notRoot() && existsSync(systemDirectory)
  const more = elsewhere ? '; if the server runs as root: sudo panel …' : ''
  return unreachable(
    `no server is listening on ${socket}`,
    `start it with \`panel serve\`, or name a server in PANEL_URL${more}`,
  )
}

const unknownCertificate = (error: SystemError, target: ServerTarget): CliError =>
  untrusted(
    `the certificate of ${target.label} is not trusted: ${error.message}`,
    `name its certificate in PANEL_CACERT, or pin its key: panel login ${target.url.origin}`,
  )

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing is listening there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved',
  ETIMEDOUT: 'no answer in time',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'no route to the host',
}

/** In words, where the system's own are a code. */
export function reasonOf({ code = '', message }: SystemError): string {
  if (noTls.test(code)) return 'it does not speak TLS'
  return reasons[code] ?? message
}

function hintFor(code: string, { url, socket, source }: ServerTarget): string | undefined {
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return `the server was chosen by ${source}`
  const cutInClear = code === 'ECONNRESET' && url.protocol === 'http:' && !socket
  return cutInClear ? `if it speaks HTTPS, use https://${url.host}` : undefined
}
