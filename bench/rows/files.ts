import {
  createReadStream,
  createWriteStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
} from 'node:fs'
import { lstat } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { rounded } from '../figures.ts'
import { ask, newDirectory } from '../panel.ts'
import type { Row } from '../row.ts'
import { childrenOf, memoryOf } from '../server.ts'
import { copyOf, type World, withPanel } from '../world.ts'

const gibibyte = 1024 ** 3
const piece = Buffer.alloc(256 * 1024, 'bytes that are sent ')
const many = 100_000
const name = 'files00001'

/** A file of 1 GiB up and down, with the memory that it takes, and a directory of 100,000 files in pages. */
export const measure = ({ small }: World): Promise<Row[]> => {
  const { directory } = copyOf(small)
  return withPanel({ ...small, directory }, async ({ pid }) => {
    const home = await homeIn(directory)
    const before = accountsOnHost(pid)
    const up = await seconds(() => upload(directory, home.account))
    const down = await seconds(async () => {
      const path = `/accounts/${home.account}/files/content?path=tmp/large`
      await pipeline(await exchange(directory, 'GET', path), nowhere())
    })
    const grown = accountsOnHost(pid) - before
    const list = await listing(directory, home)
    return [
      rate('a file of 1 GiB uploaded, and saved', up, 'writing it with one fsync', await seconds(writeOne)),
      rate('a file of 1 GiB downloaded', down, 'reading it', await seconds(() => readOne(home.path))),
      { what: 'memory that both of them took, server and agent', value: rounded(grown), unit: 'MB', ratios: {} },
      list,
    ]
  })
}

interface Home {
  readonly account: string
  readonly path: string
}

async function homeIn(directory: string): Promise<Home> {
  const { account, job_id } = await ask(directory, 'POST', '/accounts', { username: name, domain: `${name}.example` })
  while ((await ask(directory, 'GET', `/jobs/${job_id}`)).job.status !== 'succeeded');
  return { account: account.id, path: join(directory, 'host/home', name) }
}

/** The most that the server and its agent have held. */
const accountsOnHost = (pid: number): number =>
  [pid, ...childrenOf(pid)].reduce((sum, one) => sum + memoryOf(one).peak, 0)

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await act()
  return (performance.now() - began) / 1000
}

const bytes = (): Readable => Readable.from(Array(gibibyte / piece.length).fill(piece), { objectMode: false })
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

function exchange(directory: string, method: string, path: string, body?: Readable): Promise<IncomingMessage> {
  const sent = { 'Content-Type': 'application/octet-stream', 'Content-Length': gibibyte }
  const options = {
    socketPath: join(directory, 'panel.sock'),
    method,
    path: `/api/v1${path}`,
    ...(body && { headers: sent }),
  }
  return new Promise((resolve, reject) => {
    const call = request(options, (answer) => {
      if (answer.statusCode! < 300) resolve(answer)
      else reject(new Error(`${method} ${path}: ${answer.statusCode}`))
    }).once('error', reject)
    if (body) body.pipe(call)
    else call.end()
  })
}

async function upload(directory: string, account: string): Promise<void> {
  const uploads = `/accounts/${account}/uploads`
  const { id } = await ask(directory, 'POST', uploads, { size: gibibyte })
  await pipeline(await exchange(directory, 'PATCH', `${uploads}/${id}?offset=0`, bytes()), nowhere())
  await ask(directory, 'POST', `${uploads}/${id}/save`, { path: 'tmp/large' })
}

async function writeOne(): Promise<void> {
  const fd = openSync(join(newDirectory(), 'plain'), 'w')
  await pipeline(bytes(), createWriteStream('', { fd, autoClose: false }))
  fsyncSync(fd)
}

const readOne = (home: string): Promise<void> => pipeline(createReadStream(join(home, 'tmp/large')), nowhere())

function rate(what: string, taken: number, baseline: string, plain: number): Row {
  const value = rounded(gibibyte / 1e6 / taken)
  return { what, value, unit: 'MB/s', ratios: { [baseline]: rounded(plain / taken) } }
}

async function listing(directory: string, { account, path }: Home): Promise<Row> {
  const dir = join(path, 'tmp/many')
  mkdirSync(dir)
  for (let n = 0; n < many; n++) writeFileSync(join(dir, `file-${n}`), '')
  const taken = await seconds(async () => {
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await ask(directory, 'GET', `/accounts/${account}/files?path=tmp/many&limit=1000${cursor}`)
      cursor = page.next === undefined ? undefined : `&cursor=${page.next}`
    }
  })
  const plain = await seconds(async () => {
    for (const one of readdirSync(dir).sort()) await lstat(join(dir, one))
  })
  const what = 'a directory of 100,000 files, in pages of 1,000'
  return { what, value: rounded(taken), unit: 's', ratios: { 'reading names and stats once': rounded(taken / plain) } }
}
