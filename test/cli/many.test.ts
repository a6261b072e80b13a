import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../stored.ts'
import { bin, ended, ensureServerBuilt, environment } from './run.ts'
import { ask, scratchFolder, startServer } from './server.ts'

const many = 100_000

type Row = Record<string, string | number | null>

/** Copies the account `first` until there are enough. */
function multiply(dataDir: string, first: string): void {
  const { sqlite, close } = openStore(join(dataDir, 'panel.db'))
  sqlite.pragma('query_only = OFF')
  sqlite.pragma('synchronous = OFF')
  const { status: _generated, ...row } = sqlite.prepare('SELECT * FROM accounts WHERE username = ?').get(first) as Row
  const names = Object.keys(row)
  const add = sqlite.prepare(`INSERT INTO accounts (${names}) VALUES (${names.map((name) => `@${name}`)})`)
  sqlite.transaction(() => {
    for (let at = 1; at < many; at++) add.run(copyOf(row, at))
  })()
  close()
}

const copyOf = (row: Row, at: number): Row => ({
  ...row,
  id: `7ZZZZZZZZZZZZZZZ${String(at).padStart(10, '0')}`,
  username: `user${at}`,
  main_domain: `user${at}.example`,
  uid: 100_000 + at,
  db_prefix: `u${at}_`,
})

const kilobytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)

describe(`list of ${many} accounts`, () => {
  beforeAll(ensureServerBuilt)

  test('streams a long list', { timeout: 120_000 }, async () => {
    const dataDir = scratchFolder()
    const first = await startServer(dataDir)
    await ask(first.socket, 'POST', '/api/v1/accounts', { username: 'first', domain: 'first.example' })
    await first.stop()
    multiply(dataDir, 'first')
    await startServer(dataDir)
    const env = environment({ PANEL_DATA_DIR: dataDir })
    const list = `"${process.execPath}" "${bin}" accounts list --output jsonl`

    const begun = performance.now()
    const head = await ended(spawn('bash', ['-c', `set -o pipefail; ${list} | head -1`], { env }))
    const full = performance.now()
    expect(head.stderr).toBe('')
    expect(JSON.parse(head.stdout)).toMatchObject({ username: 'first' })

    const count = await ended(spawn('bash', ['-c', `set -o pipefail; ${list} | wc -l`], { env }))
    expect(count).toEqual({ code: 0, stdout: `${many}\n`, stderr: '' })
    expect(full - begun, 'one line takes less than all').toBeLessThan(performance.now() - full)

    const all = await highest(env)
    expect(all.lines).toBe(many)
    expect(all.memory, 'what is printed is let go').toBeLessThan(160_000)
  })
})

/** The peak memory of a list in kB, on a heap too small to hold it, while its lines are counted. */
async function highest(env: Record<string, string>): Promise<{ lines: number; memory: number }> {
  const words = ['--max-old-space-size=32', bin, 'accounts', 'list', '--output', 'jsonl']
  const child = spawn(process.execPath, words, { env })
  let lines = 0
  let memory = 0
  child.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) lines++
    if (child.pid && child.exitCode === null) memory = Math.max(memory, kilobytes(child.pid))
  })
  await new Promise((resolve) => child.once('close', resolve))
  return { lines, memory }
}
