import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { Duplex, pipeline, Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'

export const compressions = { zstd: 'zst', gzip: 'gz' } as const
export type Compression = keyof typeof compressions

type Maker = ((options?: object) => Transform) | undefined
/** Since Node.js 22.15. */
const built = zlib as unknown as { createZstdCompress?: Maker; createZstdDecompress?: Maker }

/** A tenant's process has no environment. */
const path = process.env['PATH'] || '/usr/local/bin:/usr/bin:/bin'

const hasProgram = (): boolean => path.split(':').some((folder) => folder !== '' && isExecutable(join(folder, 'zstd')))

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** zstd, built in or as a program, else gzip. */
export const bestCompression = (): Compression => (built.createZstdCompress || hasProgram() ? 'zstd' : 'gzip')

export function compress(as: Compression, signal?: AbortSignal): Duplex {
  if (as === 'gzip') return zlib.createGzip({ level: 6 })
  return built.createZstdCompress?.() ?? throughProgram(['-q', '-c', '-T1'], signal)
}

export function decompress(from: Compression, signal?: AbortSignal): Duplex {
  if (from === 'gzip') return zlib.createGunzip()
  return built.createZstdDecompress?.() ?? throughProgram(['-q', '-d', '-c'], signal)
}

/** Pipes a stream through the program; its failure is an error of the stream. */
function throughProgram(words: readonly string[], signal?: AbortSignal): Duplex {
  const child = spawn('zstd', words, {
    env: { PATH: path },
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(signal && { signal }),
  })
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
        if (code !== 0) throw new Error('zstd could not read or write the archive')
      } finally {
        child.kill()
      }
    })(),
  })
}

/** A transform's output; an error on either side ends both. */
export const through = (bytes: AsyncIterable<Buffer>, transform: Duplex): AsyncIterable<Buffer> =>
  pipeline(Readable.from(bytes, { objectMode: false }), transform, () => {})
