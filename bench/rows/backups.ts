import { execFileSync } from 'node:child_process'
import { closeSync, createWriteStream, mkdirSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { rounded } from '../figures.ts'
import { ask, newDirectory } from '../panel.ts'
import type { Row } from '../row.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const gibibyte = 1024 ** 3
const files = 1024
const name = 'backups00001'

/** An account of 1 GiB backed up, and restored without a safety backup, beside tar and zstd by themselves. */
export const measure = ({ small }: World): Promise<Row[]> => {
  const { directory } = copyOf(small)
  return withPanel({ ...small, directory }, async () => {
    const account = await accountWith(directory)
    const backups = `/accounts/${account}/backups`
    const home = join(directory, 'host/home', name)
    const made = await ask(directory, 'POST', backups, { parts: ['files'] })
    const saved = await ended(directory, made.job_id)
    const job = await ask(directory, 'POST', `${backups}/${made.backup.id}/restore`, { safety: false })
    const restored = await ended(directory, job.job_id)
    const out = newDirectory()
    const packed = seconds('tar --zstd -cf "$1/home.tar.zst" -C "$0" . && sync -f "$1"', home, out)
    const unpacked = seconds(
      'mkdir "$1/new" && tar --zstd -xf "$1/home.tar.zst" -C "$1/new" && sync -f "$1"',
      home,
      out,
    )
    return [
      rate('an account of 1 GiB backed up', saved, 'tar | zstd', packed),
      rate('an account of 1 GiB restored', restored, 'zstd | tar', unpacked),
    ]
  })
}

/** Half of it can be made smaller, as with real homes. */
async function accountWith(directory: string): Promise<string> {
  const { account, job_id } = await ask(directory, 'POST', '/accounts', { username: name, domain: `${name}.example` })
  await ended(directory, job_id)
  const folder = join(directory, 'host/home', name, 'sites/many')
  mkdirSync(folder, { recursive: true })
  const size = gibibyte / files
  const [noise, text] = [openSync('/dev/urandom', 'r'), Buffer.alloc(size / 2, 'bytes that are saved ')]
  for (let n = 0; n < files; n++) {
    const piece = Buffer.alloc(size / 2)
    readSync(noise, piece)
    const to = createWriteStream(join(folder, `file-${n}`))
    await pipeline(Readable.from([piece, text], { objectMode: false }), to)
  }
  closeSync(noise)
  return account.id
}

/** How long a job has run, in seconds, by its own times. */
async function ended(directory: string, id: string): Promise<number> {
  for (;;) {
    const { job } = await ask(directory, 'GET', `/jobs/${id}`)
    if (job.status === 'succeeded') return (job.finished_at - job.started_at) / 1000
    if (job.status === 'failed') throw new Error(job.error)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function seconds(script: string, ...words: string[]): number {
  const began = performance.now()
  execFileSync('sh', ['-c', script, ...words])
  return (performance.now() - began) / 1000
}

function rate(what: string, taken: number, baseline: string, plain: number): Row {
  const value = rounded(gibibyte / 1e6 / taken)
  return { what, value, unit: 'MB/s', ratios: { [baseline]: rounded(plain / taken) } }
}
