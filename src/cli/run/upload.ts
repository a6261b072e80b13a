import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync, type Stats, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { exit } from '../../shared/exit.ts'
import { reasonOf } from '../../shared/system-error.ts'
import { CliError, codeOf, usage } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { type TransferBar, transferBar } from '../output/transfer.ts'
import { exchangeBytes } from '../request/bytes.ts'
import { type Client, pause, readAnswer } from '../request/client.ts'
import { itemsIn } from '../request/items.ts'
import { randomKey } from '../request/key.ts'
import { filledPath } from '../request/plan.ts'
import { operationOf } from '../table.ts'
import { note } from '../terminal.ts'

interface Upload {
  readonly id: string
  readonly offset: number
  readonly size: number
  readonly name?: string
  readonly sha256?: string
}

interface Local {
  readonly file: string
  readonly size: number
  readonly name: string
  readonly sha256: string
}

/** A finished upload. */
export interface Uploaded {
  readonly id: string
  /** The file's own name. */
  readonly name: string
}

/** Uploads a local file to an account, or as an archive to import: starts or resumes, and sends what is missing. */
export async function uploadFile(
  invocation: Invocation,
  client: Client,
  id: string | undefined,
  file: string,
): Promise<Uploaded> {
  const { size } = statsOf(file)
  // A home may have empty files. Without an account it is an archive, which never is.
  if (size === 0 && id === undefined) throw usage(`${basename(file)} is empty`)
  const local = { file, size, name: basename(file), sha256: await sumOf(invocation, file, size) }
  const base = pathFor(id)
  const upload = await begun(client, base, local)
  if (upload.offset > 0 && !invocation.globals.quiet) note(`going on at byte ${upload.offset} of ${size}`)
  await sendAll(invocation, client, { path: `${base}/${upload.id}`, upload, local })
  return { id: upload.id, name: local.name }
}

/** The same of standard input: an upload begins with its size and checksum, so it is read to its end first. */
export async function uploadInput(invocation: Invocation, client: Client, id: string | undefined): Promise<Uploaded> {
  if (process.stdin.isTTY) throw usage('standard input is a terminal', 'pipe the file into this command, or name it')
  const folder = mkdtempSync(join(tmpdir(), 'panel-upload-'))
  try {
    const file = join(folder, 'input')
    await pipeline(process.stdin, createWriteStream(file, { mode: 0o600 }))
    return await uploadFile(invocation, client, id, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function statsOf(file: string): Stats {
  try {
    const stats = statSync(file)
    if (stats.isFile()) return stats
  } catch (error) {
    throw usage(`${file}: ${reasonOf(error)}`)
  }
  throw usage(`${file} is not a file`)
}

async function sumOf({ globals }: Invocation, file: string, size: number): Promise<string> {
  const bar = transferBar(globals, `checksum of ${basename(file)}`, size)
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(file)) {
      hash.update(chunk as Buffer)
      bar.pass((chunk as Buffer).length)
    }
    return hash.digest('hex')
  } finally {
    bar.end()
  }
}

const pathFor = (id: string | undefined): string =>
  id === undefined ? operationOf('listImportUploads').path : filledPath(operationOf('listUploads').path, { id })

/** The unfinished upload of the same file, or a new one. */
async function begun(client: Client, path: string, { name, size, sha256 }: Local): Promise<Upload> {
  const { body } = await client.call({ method: 'GET', path })
  const known = itemsIn(body, client.target) as unknown as Upload[]
  const same = known.find((one) => one.sha256 === sha256 && one.size === size && one.name === name)
  if (same) return same
  const headers = { 'idempotency-key': randomKey() }
  return (await client.call({ method: 'POST', path, body: { size, sha256, name }, headers })).body as Upload
}

interface ChunkedUpload {
  /** The upload's own. */
  readonly path: string
  readonly upload: Upload
  readonly local: Local
}

const MAX_FAILURES = 5

/** Resumes after a broken connection from where the server is. */
async function sendAll(invocation: Invocation, client: Client, { path, upload, local }: ChunkedUpload): Promise<void> {
  const bar = transferBar(invocation.globals, local.name, local.size, upload.offset)
  try {
    let offset = upload.offset
    for (let failures = 0; offset < local.size; ) {
      try {
        offset = await sendFrom(client, path, local, offset, bar)
      } catch (error) {
        if (!mayPass(error) || ++failures >= MAX_FAILURES) throw error
        await pause(500 * 2 ** failures)
        offset = ((await client.call({ method: 'GET', path })).body as Upload).offset
      }
    }
  } finally {
    bar.end()
  }
}

async function sendFrom(client: Client, path: string, local: Local, offset: number, bar: TransferBar): Promise<number> {
  const stream = createReadStream(local.file, { start: offset })
  stream.on('data', (chunk) => bar.pass(chunk.length))
  stream.pause()
  const sent = { stream, size: local.size - offset }
  const incoming = await exchangeBytes(client, { method: 'PATCH', path, query: { offset } }, sent)
  return ((await readAnswer(incoming, client.target)).body as Upload).offset
}

const mayPass = (error: unknown): boolean =>
  error instanceof CliError &&
  (error.exit === exit.network || (error.problem.status ?? 0) >= 500 || codeOf(error.problem) === 'changed')
