import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ensureBuilt, inProcess } from '../cli/run.ts'
import { place, startServer } from '../serve/server.ts'

const home = mkdtempSync(join(tmpdir(), 'panel-download-'))
beforeAll(ensureBuilt)
afterAll(() => rmSync(home, { recursive: true }))

/** A proxy to the server that cuts the first long response after a number of bytes. */
async function cutting(server: string, after: number): Promise<string> {
  const dir = mkdtempSync(join(home, 'cut-'))
  let isCut = false
  const proxy = createServer((client) => {
    const inner = connect(join(server, 'panel.sock'))
    let left = after
    client.pipe(inner)
    inner.on('data', (chunk) => {
      left -= chunk.length
      client.write(chunk)
      if (left > 0 || isCut) return
      isCut = true
      client.destroy()
    })
    for (const [one, other] of [[inner, client] as const, [client, inner] as const])
      one.on('error', () => {}).on('close', () => other.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(join(dir, 'panel.sock'), resolve))
  onTestFinished(() => void proxy.close())
  return dir
}

test('a download resumes where it stopped, and never mixes two versions', { timeout: 60_000 }, async () => {
  const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
  const panel = (line: string, dir = server.dir) =>
    inProcess([...line.split(' '), '--data-dir', dir], { XDG_CONFIG_HOME: home })
  await panel('accounts create alice --domain alice.example -q')
  const site = join(server.dir, 'host/home/alice/sites')
  mkdirSync(site, { recursive: true })
  writeFileSync(join(site, 'noise'), randomBytes(2_000_000))
  const { id, account_id } = JSON.parse((await panel('backups create -a alice -o json')).stdout)
  const stored = readFileSync(join(server.dir, 'backups', account_id, id, 'files.tar.zst'))
  const file = join(home, 'files.tar.zst')
  const line = `backups download ${id} ${file} --part files -a alice`
  const saved = (): boolean => readFileSync(file).equals(stored)

  const cut = await panel(line, await cutting(server.dir, 300_000))
  expect([cut.code, cut.stdout, cut.stderr]).toEqual([0, '', expect.stringMatching(/^going on at byte \d{5,}\n$/)])
  expect(saved()).toBe(true)

  rmSync(file)
  writeFileSync(`${file}.partial`, stored.subarray(0, 1_000))
  expect(await panel(line)).toMatchObject({ code: 0, stderr: 'going on at byte 1000\n' })
  expect(saved()).toBe(true)

  for (const others of [Buffer.alloc(1_000), Buffer.alloc(stored.length + 1)]) {
    rmSync(file)
    writeFileSync(`${file}.partial`, others)
    expect((await panel(line)).code).toBe(0)
    expect(saved()).toBe(true)
  }

  const all = join(home, 'alice.tar')
  expect((await panel(`backups download ${id} ${all} -a alice`)).code).toBe(0)
  expect(readFileSync(all).subarray(0, 14).toString()).toBe('files.tar.zst\0')
  expect((await panel(`backups download ${id} /nowhere/x -a alice`)).code).toBe(2)
})
