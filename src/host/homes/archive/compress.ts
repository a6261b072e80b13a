import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Duplex, pipeline, Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { ProgramError } from '../../programs/error.ts'

export const compressions = { zstd: 'zst', gzip: 'gz' } as const
export type Compression = keyof typeof compressions

type Maker = ((options?: object) => Transform) | undefined
/** Since Node.js 22.15. */
const built = zlib as unknown as { createZstdCompress?: Maker; createZstdDecompress?: Maker }

/** A tenant's process has no environment. */
const path = process.env['PATH'] || '/usr/local/bin:/usr/bin:/bin'

const hasProgram = (name: string): boolean =>
  path.split(':').some((folder) => folder !== '' && isExecutable(join(folder, name)))

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** zstd, built in or as a program, else gzip. */
export const bestCompression = (): Compression => (built.createZstdCompress || hasProgram('zstd') ? 'zstd' : 'gzip')

/** Formats for exchange with other machines only, by the programs of the system. */
export const programs = { bzip2: 'bzip2', xz: 'xz' } as const
export type AnyCompression = Compression | keyof typeof programs

/** Whether this host can read and write it. */
export const canCompress = (as: AnyCompression): boolean =>
  as === 'gzip' || (as === 'zstd' ? bestCompression() === 'zstd' : hasProgram(programs[as]))

export function compress(as: AnyCompression, signal?: AbortSignal): Duplex {
  if (as === 'gzip') return zlib.createGzip({ level: 6 })
  if (as === 'zstd') return built.createZstdCompress?.() ?? throughProgram('zstd', ['-q', '-c', '-T1'], signal)
  return throughProgram(programs[as], ['-q', '-c'], signal)
}

export function decompress(from: AnyCompression, signal?: AbortSignal): Duplex {
  if (from === 'gzip') return zlib.createGunzip()
  if (from === 'zstd') return built.createZstdDecompress?.() ?? throughProgram('zstd', ['-q', '-d', '-c'], signal)
  return throughProgram(programs[from], ['-q', '-d', '-c'], signal)
}

/** Pipes a stream through the program; its failure is an error of the stream. */
export function throughProgram(program: string, words: readonly string[], signal?: AbortSignal): Duplex {
  const child = spawn(program, words, {
    env: { PATH: path },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal && { signal }),
  })
  const errors = errorsOf(child.stderr)
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  const closed = once(child, 'close') as Promise<[number | null]>
  failed.catch(() => {})
  child.stdin.on('error', () => {})
  return Duplex.from({
    writable: child.stdin,
    readable: (async function* () {
      try {
        yield* child.stdout
        const [code] = await Promise.race([closed, failed])
        if (code !== 0) throw unusable(program, errors())
      } finally {
        child.kill()
      }
    })(),
  })
}

const MAX_ERROR_LENGTH = 4_096

/** What a program prints on a stream, read to its end. */
function errorsOf(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-MAX_ERROR_LENGTH)
  })
  stream.on('error', () => {})
  return () => text
}

const unusable = (program: string, output: string): ProgramError =>
  new ProgramError('precheck', { program, tried: `${program} could not read or write the archive`, output })

/**
 * A 7z archive as a tar, by libarchive's tar. It needs to seek, so the file itself is its input; it writes nothing but
 * its output, and what is in the archive is judged as that of any tar.
 */
export async function* asTar(archive: FileHandle, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const child = spawn('bsdtar', ['-cf', '-', '--format', 'pax', '@-'], {
    env: { PATH: path, LC_ALL: 'C.UTF-8' },
    stdio: [archive.fd, 'pipe', 'pipe'],
    ...(signal && { signal }),
  })
  const errors = errorsOf(child.stderr!)
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  const closed = once(child, 'close') as Promise<[number | null]>
  failed.catch(() => {})
  try {
    yield* child.stdout!
    const [code] = await Promise.race([closed, failed])
    if (code !== 0) throw unusable('bsdtar', errors())
  } finally {
    child.kill()
  }
}

/** A transform's output; an error on either side ends both. */
export const through = (bytes: AsyncIterable<Buffer>, transform: Duplex): AsyncIterable<Buffer> =>
  pipeline(Readable.from(bytes, { objectMode: false }), transform, () => {})
