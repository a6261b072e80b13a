import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import type { HostFiles } from '../../../src/host/contract/driver.ts'
import { HomeFiles } from '../../../src/host/homes/home/index.ts'
import { swapping } from '../../symlink-race.ts'
import { zipOf } from '../archive/made.ts'

const at = (path: string): string => Buffer.from(path).toString('base64')
const account = { id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH', username: 'alice', uid: 20_000, mainDomain: 'alice.example' }

interface SwapsLocation {
  readonly home: string
  readonly outside: string
  readonly files: HostFiles
}

/** A home with a directory that another process repeatedly swaps for a link out of it. */
function place(): SwapsLocation {
  const dir = mkdtempSync(join(tmpdir(), 'panel-swaps-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const [home, outside] = [join(dir, 'homes/alice'), join(dir, 'outside')]
  for (const made of [join(home, 'd/inner'), join(outside, 'inner')]) mkdirSync(made, { recursive: true })
  for (const name of ['file', 'gone', 'inner/file', 'a.zip']) {
    writeFileSync(join(home, 'd', name), 'inside')
    writeFileSync(join(outside, name), 'outside')
  }
  writeFileSync(
    join(home, 'd/a.zip'),
    zipOf({ path: 'x/y', content: 'inside' }, { path: 'x/z', code: '2', target: 'y' }),
  )
  return {
    home,
    outside,
    files: new HomeFiles({ above: join(dir, 'homes'), logs: dir, nameOf: () => 'alice' }, account),
  }
}

const idOf = (round: number): string => `01K9ZQ5T3M8V4X7C2B6N1D${String(round % 10_000).padStart(4, '0')}`

const works: Record<string, (files: HostFiles, round: number) => Promise<unknown>> = {
  async read(files) {
    const source = await files.read({ path: at('d/file') })
    return text(source.stream())
  },
  list: async (files) => (await files.act('list', { path: at('d'), limit: 100 })).items.map(({ size }) => size),
  async write(files, round) {
    const sink = await files.write({ path: at('d/file'), maxBytes: 100 })
    await sink.receive(Readable.from([Buffer.from(`inside ${round}`)])).catch(() => sink.discard())
    await sink.commit()
  },
  chmod: (files) => files.act('chmod', { path: at('d/inner/file'), mode: '0600' }).then(() => undefined),
  makeDirectory: (files, round) =>
    files.act('makeDirectory', { path: at(`d/inner/made${round}`), parents: false }).then(() => undefined),
  move: (files, round) =>
    files.act('move', { from: at('d/inner/file'), to: at(`d/moved${round}`), overwrite: true }).then(() => undefined),
  async delete(files, round) {
    const id = idOf(round)
    await files.act('trash', { path: at('d/gone'), id, now: 0 })
    await files.act('restore', { id })
  },
  extract: (files, round) =>
    files
      .act('extract', { id: idOf(round), path: at('d/a.zip'), to: at('d/inner'), overwrite: true, room: 1_000 })
      .then(() => undefined),
  async archive(files, round) {
    await files.act('archive', { id: idOf(round), paths: [at('d')], to: at(`made${round}`), format: 'tar.gz' })
    const source = await files.read({ path: at(`made${round}`) })
    // A packed link contains its target; the content of a file starts with its block.
    return gunzipSync(await buffer(source.stream())).includes('\0outside\0') ? 'outside' : 'inside'
  },
}

const swaps = 10_000
/** What a file outside contains, and its length. */
const seen = /"outside"|\b7[,\]]/

/** The outside, in every detail. */
const pictureOf = (dir: string): unknown =>
  (readdirSync(dir, { recursive: true }) as string[]).sort().map((name) => {
    const stats = lstatSync(join(dir, name))
    return [name, stats.mode, stats.ino, stats.mtimeMs, stats.isFile() ? readFileSync(join(dir, name), 'utf8') : '']
  })

test.each(Object.entries(works))(
  'reads and changes nothing outside while a directory is swapped for a link: %s',
  { timeout: 60_000 },
  async (_, work) => {
    const current = place()
    const before = pictureOf(current.outside)
    let over = false
    const swapped = swapping(current.home, current.outside, swaps).finally(() => {
      over = true
    })
    let rounds = 0
    for (; !over; rounds++) {
      try {
        expect(JSON.stringify(await work(current.files, rounds)) ?? '').not.toMatch(seen)
      } catch (error) {
        if ((error as Error).name !== 'HostError') throw error
      }
    }
    await swapped
    expect(rounds).toBeGreaterThan(0)
    expect(pictureOf(current.outside)).toEqual(before)
  },
)
