import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { queueId } from '../../../../shared/patterns.ts'
import type { QueueChange } from '../../../contract/commands/mail-queue.ts'
import type { QueuedMessage } from '../../../mail-queue/select.ts'
import { ProgramError } from '../../../programs/error.ts'
import { systemEnvironment } from '../../commands.ts'

/** Lists a long queue, or changes one. */
const TIMEOUT_MS = 120_000
/** Programs that reschedule one message each. */
const AT_ONCE = 4
const MAX_ERROR_LENGTH = 4096

const paths = { postqueue: '/usr/sbin/postqueue', postsuper: '/usr/sbin/postsuper' } as const
type Program = keyof typeof paths

interface Ran {
  readonly args: readonly string[]
  readonly from: 'stdout' | 'stderr'
  readonly input?: string
  readonly signal?: AbortSignal | undefined
}

/** A program's lines. Throws if it fails, so that half a list is never taken for all of it. */
async function* linesOf(program: Program, { args, from, input, signal }: Ran): AsyncGenerator<string> {
  const path = paths[program]
  const child = spawn(path, [...args], {
    ...{ env: systemEnvironment, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' as const, cwd: '/', signal },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', ({ message }) => resolve(message))
    child.on('close', (code, by) => resolve(code === 0 ? undefined : by ? `it was ended by ${by}` : `code ${code}`))
  })
  child[from === 'stdout' ? 'stderr' : 'stdout'].on('data', (bytes: Buffer) => {
    if (output.length < MAX_ERROR_LENGTH) output += bytes.toString()
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  try {
    for await (const line of createInterface({ input: child[from] })) yield line
    const end = await ended
    if (end !== undefined) throw new ProgramError('install', { program: path, words: [...args], output, end })
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL')
  }
}

const id = new RegExp(`^${queueId}$`)

interface Listed {
  readonly queue_name?: unknown
  readonly queue_id?: unknown
  readonly arrival_time?: unknown
  readonly message_size?: unknown
  readonly sender?: unknown
  readonly recipients?: readonly { readonly address?: unknown; readonly delay_reason?: unknown }[]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A message, from a line of `postqueue -j`; undefined if the line is not one. */
export function messageIn(line: string): QueuedMessage | undefined {
  const listed = objectIn(line)
  if (!listed || !id.test(textOf(listed.queue_id)) || !Array.isArray(listed.recipients)) return undefined
  const [arrivedAt, size] = [Number(listed.arrival_time) * 1000, Number(listed.message_size)]
  if (!Number.isSafeInteger(arrivedAt) || !Number.isSafeInteger(size) || arrivedAt < 0 || size < 0) return undefined
  const recipients = listed.recipients.filter((one) => typeof one?.address === 'string')
  const reason = recipients.map((one) => textOf(one.delay_reason)).find((text) => text !== '')
  return {
    ...{ id: textOf(listed.queue_id), queue: textOf(listed.queue_name), arrivedAt, size, reason: reason ?? '' },
    ...{ from: textOf(listed.sender), to: recipients.map((one) => textOf(one.address)) },
  }
}

function objectIn(line: string): Listed | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** `config`: another Postfix's directory. */
const ofConfig = (config: string | undefined): readonly string[] => (config === undefined ? [] : ['-c', config])

/** Postfix's own list, which may be long. */
export async function* listed(config?: string, signal?: AbortSignal): AsyncGenerator<QueuedMessage> {
  if (!existsSync(paths.postqueue)) return
  for await (const line of linesOf('postqueue', { args: [...ofConfig(config), '-j'], from: 'stdout', signal })) {
    const message = messageIn(line)
    if (message) yield message
  }
}

const options = { hold: '-h', release: '-H', delete: '-d' } as const
const done = new RegExp(`^postsuper: (${queueId}): (?:placed on hold|released from hold|removed)$`)

/** Returns the ids of those that it changed: others have left the queue meanwhile. */
export async function changeListed(
  change: Exclude<QueueChange['change'], 'retry'>,
  ids: readonly string[],
  config?: string,
): Promise<string[]> {
  const changed: string[] = []
  const input = `${ids.filter((one) => id.test(one)).join('\n')}\n`
  const args = [...ofConfig(config), options[change], '-']
  for await (const line of linesOf('postsuper', { args, from: 'stderr', input })) {
    const [, found] = done.exec(line) ?? []
    if (found !== undefined) changed.push(found)
  }
  return changed
}

/** Has messages delivered now; returns the ids of those that waited for their time. */
export async function retryListed(ids: readonly string[], config?: string, signal?: AbortSignal): Promise<string[]> {
  const retried: string[] = []
  const left = ids.filter((one) => id.test(one)).reverse()
  const next = async (): Promise<void> => {
    for (let one = left.pop(); one !== undefined && !signal?.aborted; one = left.pop())
      if (await isRetried(one, config)) retried.push(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  return retried
}

async function isRetried(one: string, config: string | undefined): Promise<boolean> {
  try {
    for await (const _ of linesOf('postqueue', { args: [...ofConfig(config), '-i', one], from: 'stderr' }));
    return true
  } catch {
    return false
  }
}
