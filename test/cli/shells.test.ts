import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { bin, ensureBuilt, environment, root } from './run.ts'
import { scratchFolder } from './server.ts'
import { ids, type Stub, startStub } from './stub.ts'

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0
const canPlay = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false

const completions = join(root, 'completions')
const bashCompletion = '/usr/share/bash-completion/bash_completion'

/** Shell to its start command, and what is typed before the test. */
const shells = [
  { name: 'bash', start: 'bash --norc --noprofile -i', set: `source ${completions}/panel.bash` },
  {
    name: 'bash with bash-completion',
    start: 'bash --norc --noprofile -i',
    set: `source ${bashCompletion}; source ${completions}/panel.bash`,
    needs: existsSync(bashCompletion),
  },
  {
    name: 'zsh',
    start: 'zsh -f -i',
    set: `autoload -Uz compinit; compinit -u -D; source ${completions}/_panel`,
  },
  { name: 'fish', start: 'fish --no-config -i', set: `source ${completions}/panel.fish` },
].map((shell) => ({
  ...shell,
  there: canPlay && has(shell.start.split(' ')[0] ?? '') && shell.needs !== false,
}))

let stub: Stub
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
})
beforeEach(() => stub.reset())
afterAll(() => stub.close())

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A shell on a terminal. `panel` completes as usual, and otherwise records its arguments. */
class Terminal {
  readonly #child: ChildProcess
  readonly #calls: string
  #seen = 0
  #screen = ''

  constructor(start: string, env: Record<string, string>) {
    const folder = scratchFolder()
    this.#calls = join(folder, 'calls')
    const program = join(folder, 'panel')
    writeFileSync(this.#calls, '')
    writeFileSync(
      program,
      `#!/bin/sh\n[ "$1" = __complete ] && exec "${process.execPath}" "${bin}" "$@"\nprintf '%s|' "$@" >> '${this.#calls}'\necho >> '${this.#calls}'\n`,
    )
    chmodSync(program, 0o755)
    const PATH = `${folder}:${process.env['PATH']}`
    this.#child = spawn('script', ['-qec', `stty cols 200 rows 50; ${start}`, '/dev/null'], {
      cwd: folder,
      env: environment({ HOME: folder, TERM: 'xterm', LC_ALL: 'C.UTF-8', ...env, PATH }),
    })
    this.#child.stdout?.on('data', (chunk) => {
      this.#screen += chunk
    })
    onTestFinished(() => this.#end())
  }

  /** A shell writes its history when it exits, so the directory cannot be deleted before. */
  async #end(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, 'exit')
    this.type('\u0003\rexit\r')
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 5_000)
    await ended
    clearTimeout(late)
  }

  get screen(): string {
    return stripVTControlCharacters(this.#screen)
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  /** Runs a command and waits until it has finished. */
  async set(command: string): Promise<void> {
    this.type(`${command}; panel ready\r`)
    await this.called()
    this.#screen = ''
  }

  /** The arguments of the next call of `panel`. */
  async called(): Promise<string[]> {
    for (let waited = 0; waited < 10_000; waited += 20) {
      // The last one is partially written, or empty.
      const line = readFileSync(this.#calls, 'utf8').split('\n').slice(0, -1)[this.#seen]
      if (line !== undefined) {
        this.#seen++
        return line.split('|').slice(0, -1)
      }
      await pause(20)
    }
    throw new Error(`panel was not called; on the screen:\n${this.screen}`)
  }

  /** The arguments of `panel` after the keys, Tab and Enter. */
  async completed(keys: string): Promise<string[]> {
    this.type(`${keys}\t\r`)
    return this.called()
  }
}

describe.each(shells)('completion in $name', ({ start, set, there }) => {
  const env = (): Record<string, string> => ({ PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' })

  async function open(more: Record<string, string> = {}): Promise<Terminal> {
    const terminal = new Terminal(start, { ...env(), ...more })
    await terminal.set(set)
    return terminal
  }

  test.runIf(there)('words, options, values and names are completed', { timeout: 40_000 }, async () => {
    const terminal = await open()
    expect(await terminal.completed('panel accounts sus')).toEqual(['accounts', 'suspend'])
    expect(await terminal.completed('panel accounts list --sea')).toEqual(['accounts', 'list', '--search'])
    expect(await terminal.completed('panel accounts list --output y')).toEqual(['accounts', 'list', '--output', 'yaml'])
    expect(await terminal.completed('panel accounts list --output=y')).toEqual(['accounts', 'list', '--output=yaml'])
    expect(await terminal.completed('panel accounts show a')).toEqual(['accounts', 'show', 'alice'])
    expect(await terminal.completed('panel accounts set-package alice lar')).toEqual([
      ...['accounts', 'set-package', 'alice', 'large'],
    ])
  })

  test.runIf(there)('an address is completed after its @', { timeout: 40_000 }, async () => {
    const token = { id: ids.token, name: 'info@example.com' }
    stub.handle(({ path }) => (path === '/tokens' ? { body: { items: [token], total: 1 } } : undefined))
    const terminal = await open()
    for (const typed of ['in', 'info@', 'info@example.c'])
      expect(await terminal.completed(`panel tokens show ${typed}`)).toEqual(['tokens', 'show', 'info@example.com'])
  })

  test.runIf(there)('webhooks and jobs are completed by id', { timeout: 40_000 }, async () => {
    const hook = { id: '01K9ZZZZZZZZZZZZZZZZZZZZZZ', url: 'https://hooks.example' }
    stub.handle(({ path }) => (path === '/webhooks' ? { body: { items: [hook], total: 1 } } : undefined))
    const terminal = await open()
    expect(await terminal.completed('panel webhooks show 01')).toEqual(['webhooks', 'show', hook.id])
  })

  test.runIf(there)('what is on the line is not executed', { timeout: 40_000 }, async () => {
    const terminal = await open()
    const marker = join(scratchFolder(), 'ran')
    for (const trap of [`$(touch ${marker})`, `\`touch ${marker}\``, `"$(touch ${marker})"`]) {
      terminal.type(`panel accounts show ${trap} a\t`)
      await pause(400)
      terminal.type('\u0003')
      await pause(100)
    }
    // Enter was not pressed: what ran was run by Tab.
    expect(existsSync(marker)).toBe(false)
  })

  test.runIf(there)('an unreachable server is skipped at once', { timeout: 40_000, retry: 2 }, async () => {
    stub.handle(() => ({ delay: 20_000 }))
    for (const url of ['http://127.0.0.1:1', stub.url]) {
      const terminal = await open({ PANEL_URL: url })
      const begun = performance.now()
      terminal.type('panel accounts show qqq\trrr\r')
      expect(await terminal.called()).toEqual(['accounts', 'show', 'qqqrrr'])
      expect(performance.now() - begun, 'it does not wait for the answer').toBeLessThan(15_000)
      expect(terminal.screen).not.toMatch(/error|hint|reached/)
    }
  })
})

describe('names in completion', () => {
  const offers = (env: Record<string, string>, ...words: string[]): string =>
    spawnSync(process.execPath, [bin, '__complete', '--', ...words], { env: environment(env), encoding: 'utf8' }).stdout

  test('caches names briefly and privately, by server and caller', async () => {
    const runtime = scratchFolder()
    const server = await startStubProcess()
    const env = { PANEL_URL: server.url, PANEL_TOKEN: 'pnl_canary', XDG_RUNTIME_DIR: runtime }
    expect(offers(env, 'accounts', 'show', 'al')).toContain('alice')
    server.stop()
    expect(offers(env, 'accounts', 'show', 'al')).toContain('alice')
    expect(offers({ ...env, PANEL_TOKEN: 'pnl_other' }, 'accounts', 'show', 'al')).toBe('')
    const folder = join(runtime, 'panel')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
      expect(name + readFileSync(join(folder, name), 'utf8')).not.toContain('canary')
    }
  })

  test('does not cache names where others could write them', async () => {
    const runtime = scratchFolder()
    mkdirSync(join(runtime, 'panel'), { mode: 0o777 })
    chmodSync(join(runtime, 'panel'), 0o777)
    const server = await startStubProcess()
    const env = { PANEL_URL: server.url, XDG_RUNTIME_DIR: runtime }
    expect(offers(env, 'accounts', 'show', 'al')).toContain('alice')
    expect(readdirSync(join(runtime, 'panel'))).toEqual([])
  })
})

/** A server of two accounts in its own process, since waiting for the offers blocks the event loop. */
async function startStubProcess(): Promise<{ url: string; stop(): void }> {
  const source = `
    const items = ['alice', 'bob'].map((username, at) => ({ id: '01K9ZQ5T3M8V4X7C2B6N1D000' + at, username }))
    require('node:http').createServer((_, answer) => answer.setHeader('content-type', 'application/json').end(
      JSON.stringify({ items, total: 2 }))).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['--eval', source])
  onTestFinished(() => void child.kill('SIGKILL'))
  const port = await new Promise((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())))
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill('SIGKILL') }
}
