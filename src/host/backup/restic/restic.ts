import { join } from 'node:path'
import { HostError } from '../../contract/error.ts'
import type { Repository } from '../../contract/repository.ts'
import { blockSize } from '../../homes/archive/tar.ts'
import { tarEntries } from '../../homes/archive/tar-read.ts'
import { ProgramError } from '../../programs/error.ts'
import { environmentOf } from './environment.ts'
import { keysOf, type ResticKeys } from './keys.ts'
import { begin, failure, type ResticExit, runRestic } from './run.ts'

export interface ResticOptions {
  /** For its keys while it runs, and its cache. */
  readonly host: string
  readonly signal?: AbortSignal | undefined
}

interface Snapshot {
  readonly id: string
}

/** Of the panel's own files in a backup: the message with which a host gets them is smaller. */
export const MAX_TEXT_BYTES = 32 * 1024 * 1024

export const keyFolder = (host: string): string => join(host, 'var/lib/panel-host/restic/keys')

/** 409 `not-configured` if restic is not installed. */
export async function needRestic(): Promise<void> {
  const ended = await runRestic(['version'], { env: { PATH: process.env['PATH'] ?? '' } })
  if (ended.code !== 0) throw failure(ended)
}

/** A repository, through the program restic. */
export class Restic {
  readonly #repository: Repository
  readonly #options: ResticOptions

  constructor(repository: Repository, options: ResticOptions) {
    this.#repository = repository
    this.#options = options
  }

  /** A backup's snapshots: one, or more if making it was interrupted. Creates a missing repository. */
  async prepare(backup: string): Promise<readonly string[]> {
    let text = ''
    const found = await this.#run(['snapshots', '--json', '--tag', backup], (line) => {
      text += line
    })
    if (found.code === 0) return ((JSON.parse(text || '[]') ?? []) as Snapshot[]).map(({ id }) => id)
    if (!/Is there a repository|repository does not exist/.test(found.errors)) throw failure(found)
    await this.#succeeds(['init'])
    return []
  }

  /** A small file of a backup, cut where it is larger than it may be; undefined if it does not exist. */
  async text(backup: string, name: string, maxBytes: number): Promise<Buffer | undefined> {
    const read = () => firstOf(this.dump(backup, `/${name}`), maxBytes)
    try {
      return await read().catch(async (error: unknown) => {
        if (!isLocked(error)) throw error
        await this.#run(['unlock'])
        return read()
      })
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  /** The small files of a backup's directory, by their paths; none if it does not exist. */
  async textsIn(backup: string, directory: string): Promise<ReadonlyMap<string, Buffer>> {
    const texts = new Map<string, Buffer>()
    let left = MAX_TEXT_BYTES
    try {
      for await (const { path, type, size, content } of tarEntries(this.dump(backup, `/${directory}`))) {
        left -= blockSize + size
        if (left < 0) throw new HostError('stage', `The backup is damaged: the files in ${directory} are too large.`)
        if (type === 'file') texts.set(path.toString().replace(/^\//, ''), await firstOf(content(), size))
      }
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    return texts
  }

  /** Saves a directory's content; returns the files that could not be read. */
  async save(
    directory: string,
    names: readonly string[],
    about: { account: string; backup: string },
    input: ResticMessage,
  ) {
    const words = ['backup', '--json', '--tag', about.backup, '--host', about.account, ...names]
    const ended = await this.#run(words, (line) => reportShare(line, input), directory)
    if (ended.code !== 0 && ended.code !== 3) throw failure(ended)
    return ended.code === 3 ? unreadIn(ended, directory) : []
  }

  async forget(snapshots: readonly string[]): Promise<void> {
    await this.#succeeds(['forget', '--prune', '--quiet', ...snapshots])
  }

  /** The bytes of a backup's file, or a tar of a directory. */
  async *dump(backup: string, path: string): AsyncGenerator<Buffer> {
    const keys = await this.#keys()
    const { stdout, ended, stop } = begin([...keys.words, 'dump', '--tag', backup, 'latest', path], this.#running())
    try {
      yield* stdout as AsyncIterable<Buffer>
      const end = await ended
      this.#options.signal?.throwIfAborted()
      if (end.code !== 0) throw failure(end)
    } finally {
      stop()
      await ended.catch(() => {})
      await keys.remove()
    }
  }

  async #succeeds(words: readonly string[], heard?: (line: string) => void): Promise<void> {
    const ended = await this.#run(words, heard)
    if (ended.code !== 0) throw failure(ended)
  }

  /** A dead process may have left a lock: removes stale locks and retries. */
  async #run(words: readonly string[], heard?: (line: string) => void, cwd?: string): Promise<ResticExit> {
    const keys = await this.#keys()
    const run = (what: readonly string[]) => runRestic([...keys.words, ...what], { ...this.#running(), cwd }, heard)
    try {
      const ended = await run(words)
      if (ended.code === 0 || !/already locked/.test(ended.errors)) return ended
      await run(['unlock'])
      return await run(words)
    } finally {
      await keys.remove()
    }
  }

  #keys(): Promise<ResticKeys> {
    return keysOf(this.#repository, keyFolder(this.#options.host))
  }

  #running() {
    const { host, signal } = this.#options
    return { env: environmentOf(this.#repository, join(host, 'var/lib/panel-host/restic/cache')), signal }
  }
}

/** What else is meant to be read is not in the repository. */
const isMissing = (error: unknown): boolean =>
  error instanceof ProgramError && /no snapshot found|not found in snapshot/.test(error.line)

/** A dead process may have left it. */
const isLocked = (error: unknown): boolean => error instanceof ProgramError && /already locked/.test(error.message)

/** The first bytes, up to the end of the chunk that has the last of them. */
async function firstOf(bytes: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let left = maxBytes
  for await (const chunk of bytes) {
    chunks.push(chunk)
    left -= chunk.length
    if (left < 0) break
  }
  return Buffer.concat(chunks)
}

type ResticMessage = (share: number) => void

/** Reports progress from a status line. */
function reportShare(line: string, input: ResticMessage): void {
  const { message_type, percent_done } = JSON.parse(line) as { message_type?: string; percent_done?: number }
  if (message_type === 'status' && percent_done !== undefined) input(percent_done)
}

/** The unreadable files that its errors name, relative to the directory if they are below it. */
function unreadIn({ errors }: ResticExit, directory: string): string[] {
  const items = errors.split('\n').flatMap((line) => {
    const { message_type, item } = line.startsWith('{')
      ? (JSON.parse(line) as { message_type?: string; item?: string })
      : {}
    return message_type === 'error' && item !== undefined ? item : []
  })
  return items.map((item) => (item.startsWith(`${directory}/`) ? item.slice(directory.length + 1) : item))
}
