import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Json, type PanelOptions, type Reply, startPanel, type TestPanel } from '../harness.ts'

export const nothing = { events: [], jobs: [] }

/** What happened since the last call. */
export async function events(panel: TestPanel): Promise<{ events: string[]; jobs: string[] }> {
  await panel.settle()
  return { events: panel.events(), jobs: panel.jobs() }
}

/** A typical home: sites, a link out, odd names, mail, and excluded files. */
export function fill(home: string): void {
  mkdirSync(join(home, 'sites/alice.example/public/deep/er'), { recursive: true })
  writeFileSync(join(home, 'sites/alice.example/public/index.html'), '<h1>hello</h1>\n')
  writeFileSync(join(home, 'sites/alice.example/public/deep/er/empty'), '')
  writeFileSync(join(home, 'sites/run.sh'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(home, 'sites/large.bin'), Buffer.alloc(700_001, 'panel'))
  symlinkSync('/etc/passwd', join(home, 'sites/passwd'))
  writeFileSync(Buffer.concat([Buffer.from(`${home}/sites/`), Buffer.from([0x6f, 0xff, 0x0a])]), 'odd')
  writeFileSync(join(home, `sites/${'long-'.repeat(40)}`), 'long')
  mkdirSync(join(home, 'mail/alice.example/alice/new'), { recursive: true })
  writeFileSync(join(home, 'mail/alice.example/alice/new/1'), 'Subject: hello\n')
  mkdirSync(join(home, 'tmp'), { recursive: true })
  writeFileSync(join(home, 'tmp/scratch'), 'not kept')
}

export async function withHome(options: PanelOptions = {}) {
  const panel = await startPanel(options)
  const alice = await panel.account('alice')
  const home = join(panel.dir, 'host/home/alice')
  fill(home)
  const path = `/accounts/${alice.id}/backups`
  const folder = join(panel.dir, 'backups', alice.id)
  const get = async (id: string): Promise<Json> => (await panel.get(`${path}/${id}`)).body
  /** A completed backup. */
  const made = async (body: object = {}): Promise<Json> => {
    const reply = await panel.post(path, body)
    expect(reply.status, JSON.stringify(reply.body)).toBe(202)
    await panel.settle()
    return get(reply.body.backup.id)
  }
  return { panel, alice, home, path, folder, get, made }
}

export const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

/** The names in an archive, as listed by tar. */
export const namesIn = (archive: string): string[] =>
  execFileSync('tar', ['--zstd', '-tf', archive], { encoding: 'utf8' }).split('\n').filter(Boolean).sort()

export const filesBelow = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true, withFileTypes: true }) as import('node:fs').Dirent[])
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .sort()

/** Status, code and the first invalid field. */
export const received = ({ status, code, body }: Reply): string =>
  [status, code, ...Object.keys(body?.fields ?? {})].filter(Boolean).join(' ')
