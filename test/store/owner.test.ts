import { chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backUp, restore, rotateSecret, takeOver } from '../../src/server/upkeep.ts'
import { startPanel } from '../harness.ts'

const owner = { uid: 12_345, gid: 12_346 }
const about = { host: 'host.example', version: '0.1.0' }
const agree = async () => {}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'panel-owner-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** The data directory of a server that runs as a user of its own. */
function ofServer(): string {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'secret.key'), Buffer.alloc(32, 7), { mode: 0o600 })
  for (const path of [dataDir, join(dataDir, 'secret.key')]) chownSync(path, owner.uid, owner.gid)
  return dataDir
}

async function backupOf(): Promise<string> {
  const dir = folder()
  const panel = await startPanel({ dir })
  await panel.stop()
  const file = join(folder(), 'panel.backup')
  await backUp({ dataDir: dir, file, withKeys: true, ...about })
  return file
}

const foreign = (dataDir: string): string[] =>
  (readdirSync(dataDir, { recursive: true }) as string[]).filter((name) => {
    const { uid, gid } = statSync(join(dataDir, name))
    return uid !== owner.uid || gid !== owner.gid
  })

describe.runIf(process.getuid?.() === 0)('data directory of another user', () => {
  test("leaves the owner after root's restore, also over a store, and from a directory", async () => {
    const [file, dataDir] = [await backupOf(), ofServer()]
    await restore({ file, dataDir, ...about }, agree)
    const { kept: stored } = await restore({ file, dataDir, ...about }, agree)
    expect(readdirSync(stored!)).toContain('panel.db')
    await restore({ file: dataDir, dataDir, ...about }, agree)
    expect(foreign(dataDir)).toEqual([])
  })

  test("leaves the owner after root's takeover by a copy, and by the file itself", async () => {
    const [file, from] = [await backupOf(), folder()]
    await restore({ file, dataDir: from, ...about }, agree)
    const [copied, moved] = [ofServer(), ofServer()]
    await takeOver({ file: join(from, 'panel.db'), dataDir: copied, ...about }, agree)
    await takeOver({ file: join(from, 'panel.db'), dataDir: moved, move: true, ...about }, agree)
    expect([...foreign(copied), ...foreign(moved)]).toEqual([])
  })

  test("leaves the owner after root's new secret key", async () => {
    const [file, dataDir] = [await backupOf(), ofServer()]
    await restore({ file, dataDir, ...about }, agree)
    await rotateSecret(dataDir)
    expect(foreign(dataDir)).toEqual([])
  })
})
