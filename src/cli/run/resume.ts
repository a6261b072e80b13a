import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { exit } from '../../shared/exit.ts'
import { reasonOf } from '../../shared/system-error.ts'
import { badOutcome, CliError, usage } from '../errors.ts'
import { transferBar } from '../output/transfer.ts'
import { exchangeBytes } from '../request/bytes.ts'
import { pause } from '../request/client.ts'
import { networkError } from '../request/network.ts'
import { isTty, note } from '../terminal.ts'
import { counting, toOutput } from './bytes.ts'
import type { CommandCall } from './execute.ts'

const MAX_FAILURES = 5

/** A download, and where it is collected until it is complete. */
export interface Download extends Pick<CommandCall, 'client' | 'invocation' | 'request'> {
  readonly file: string
  readonly partial: string
  /** The version, if the response has no checksum: parts of another version are not used. */
  readonly etag?: string
}

/** Saves the bytes to a file, or prints them. */
export async function download({ input, client, request, invocation }: CommandCall): Promise<void> {
  const { file } = input
  if (file === undefined || file === '-') {
    if (isTty()) throw usage('a file is needed: a terminal cannot show this')
    return toOutput(await exchangeBytes(client, request))
  }
  await downloadTo({ client, request, invocation, file, partial: `${file}.partial` })
}

/** Saves the bytes to a file, which only appears once complete. Resumes an interrupted download. */
export async function downloadTo(requested: Download): Promise<void> {
  for (let failures = 0; ; failures++) {
    try {
      if (await attempt(requested)) return renameSync(requested.partial, requested.file)
    } catch (error) {
      if (!mayPass(error) || failures >= MAX_FAILURES) throw error
      await pause(500 * 2 ** failures)
    }
  }
}

const mayPass = (error: unknown): boolean => error instanceof CliError && error.exit === exit.network

/** Fetches the missing part. Returns false if the existing part was of something else and was deleted. */
async function attempt(requested: Download): Promise<boolean> {
  const { file, partial, invocation } = requested
  const had = sizeOf(partial)
  const incoming = await partFrom(requested, had)
  if (!incoming) return startAnew(partial)
  const from = incoming.statusCode === 206 ? had : 0
  if (from > 0 && !invocation.globals.quiet) note(`going on at byte ${from}`)
  await append(requested, incoming, from)
  const digest = sumIn(incoming)
  if (digest === undefined || (await sumOf(partial)) === digest) return true
  if (from > 0) return startAnew(partial)
  rmSync(partial, { force: true })
  throw badOutcome(`${file}: what came is not what was sent: its SHA-256 is another`)
}

/** Undefined: the file is shorter than the existing part. */
async function partFrom({ client, request, etag }: Download, had: number): Promise<IncomingMessage | undefined> {
  const headers = had > 0 ? { range: `bytes=${had}-`, ...(etag !== undefined && { 'if-range': etag }) } : {}
  try {
    return await exchangeBytes(client, { ...request, headers: { ...request.headers, ...headers } })
  } catch (error) {
    if (error instanceof CliError && error.problem.status === 416) return undefined
    throw error
  }
}

function startAnew(partial: string): false {
  rmSync(partial, { force: true })
  return false
}

async function append(requested: Download, incoming: IncomingMessage, from: number): Promise<void> {
  const { client, invocation, file, partial } = requested
  const length = Number(incoming.headers['content-length'])
  const total = Number.isFinite(length) ? from + length : undefined
  const bar = transferBar(invocation.globals, file, total, from)
  const into = createWriteStream(partial, { flags: from > 0 ? 'a' : 'w' })
  try {
    await pipeline(incoming, counting(bar.pass), into)
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException
    if (syscall === 'open' || syscall === 'write') throw usage(`${file}: ${reasonOf(error)}`)
    throw networkError(error as Error, client.target)
  } finally {
    bar.end()
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

/** The SHA-256 of the whole file, if the response has it. */
function sumIn({ headers }: IncomingMessage): string | undefined {
  const [, text] = /sha-256=:([A-Za-z0-9+/]+=*):/.exec(String(headers['repr-digest'] ?? '')) ?? []
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString('hex')
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
