import { type Frame, ProtocolError } from './frames.ts'
import { readHello } from './hello.ts'
import type { Hello } from './messages.ts'

/** The first frame of a node on each connection it opens. */
export type NodeHelloFrame = NodeHello & (ForLink | ForBulk | ForJoin)

interface NodeHello extends Hello {
  /** The node's id. */
  readonly node: string
  /** Its clock, in milliseconds. */
  readonly clock: number
  readonly diskFreeMb?: number
  /** The machine's hostname. */
  readonly hostname?: string
}

interface ForLink {
  readonly purpose: 'link'
}

/** For the bytes that a link asked for. */
interface ForBulk {
  readonly purpose: 'bulk'
  readonly key: string
}

interface ForJoin {
  readonly purpose: 'join'
  readonly secret: string
  readonly csr: string
}

/** What the control plane sends before its hello, and again when it changes. */
export interface Welcome {
  readonly type: 'welcome'
  readonly authorities: readonly string[]
  readonly addresses: readonly string[]
  /** A new certificate for the node's key. */
  readonly certificate?: string
}

/** Asks the node to open a connection for bulk. */
export interface Dial {
  readonly type: 'dial'
  readonly key: string
}

export function readNodeHello(frame: Frame): NodeHelloFrame {
  const hello = readHello(frame)
  const { purpose, node, clock, diskFreeMb, hostname } = frame
  if (!isId(node) || !Number.isFinite(clock)) throw new ProtocolError('The hello names no node.')
  if (!/^[\x20-\x7e]{0,64}$/.test(hello.build)) throw new ProtocolError('The hello names no version of a program.')
  if (diskFreeMb !== undefined && !isRoom(diskFreeMb)) throw new ProtocolError('The hello tells no free room.')
  if (hostname !== undefined && !isHostname(hostname)) throw new ProtocolError('The hello tells no host name.')
  const optional = { ...(diskFreeMb !== undefined && { diskFreeMb }), ...(hostname !== undefined && { hostname }) }
  const nodeHello = { ...hello, node, clock: clock as number, ...optional }
  if (purpose === 'link') return { ...nodeHello, purpose }
  if (purpose === 'bulk') return { ...nodeHello, purpose, key: textIn(frame, 'key') }
  if (purpose === 'join') return { ...nodeHello, purpose, secret: textIn(frame, 'secret'), csr: textIn(frame, 'csr') }
  throw new ProtocolError('The hello does not say what the connection is for.')
}

/** Validated because it appears in refusals and in the log before the node is identified. */
const isId = (value: unknown): value is string => typeof value === 'string' && /^[0-9A-Z]{26}$/.test(value)

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const named = new RegExp(`^(?:${label}\\.)+${label}$`)
/** Leaves room for `phpmyadmin.` in a name. */
const MAX_HOSTNAME_LENGTH = 242

/** A fully qualified name that a certificate can be for. */
export const isHostname = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_HOSTNAME_LENGTH && named.test(value)

/** Free disk space, in megabytes. */
export const isRoom = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

export function readWelcome(frame: Frame): Welcome {
  const { certificate } = frame
  return {
    type: 'welcome',
    authorities: textsIn(frame, 'authorities'),
    addresses: textsIn(frame, 'addresses'),
    ...(typeof certificate === 'string' && { certificate }),
  }
}

export function textIn(frame: Frame, field: string): string {
  const value = frame[field]
  if (typeof value !== 'string') throw new ProtocolError(`A ${String(frame['type'])} has no ${field}.`)
  return value
}

export function textsIn(frame: Frame, field: string): string[] {
  const value = frame[field]
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw new ProtocolError(`A ${String(frame['type'])} has no ${field}.`)
  return value
}

export const MAX_CLOCK_SKEW_MS = 5 * 60_000

/** Why a node's clock is too far from the panel's; undefined if it is not. */
export function clockError(node: string, theirs: number, localTime: number): string | undefined {
  const minutes = Math.round(Math.abs(theirs - localTime) / 60_000)
  if (Math.abs(theirs - localTime) <= MAX_CLOCK_SKEW_MS) return undefined
  const where = theirs > localTime ? 'ahead of' : 'behind'
  return `The clock of node ${node} is ${minutes} minutes ${where} the panel's: set it, for example with \`timedatectl set-ntp true\`.`
}
