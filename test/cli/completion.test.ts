import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bin, ended, ensureBuilt, environment, panel, root } from './run.ts'
import { scratchFolder } from './server.ts'
import { ids, type Stub, startStub } from './stub.ts'

let stub: Stub
let env: Record<string, string>
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
  env = { PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' }
})
beforeEach(() => stub.reset())
afterAll(() => stub.close())

/** The words offered for the last one, which is being typed. */
async function offers(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await panel(['__complete', '--', ...words], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split('\n').flatMap((line) => (line ? [line.split('\t')[0] ?? ''] : []))
}

describe('panel __complete', () => {
  test('offers areas and commands', async () => {
    expect(await offers('acc')).toEqual(['accounts'])
    expect(await offers('accounts', 'sus')).toEqual(['suspend'])
    expect(await offers('jobs', '')).toEqual(expect.arrayContaining(['list', 'wait', 'logs']))
    expect(await offers('help', 'exit')).toEqual(['exit-codes'])
  })

  test('offers options, except hidden ones', async () => {
    expect(await offers('accounts', 'create', 'x', '--pack')).toEqual(['--package'])
    expect(await offers('--output', 'json', 'accounts', 'list', '--sea')).toEqual(['--search'])
    expect(await offers('accounts', 'list', '--', '--sea')).toEqual([])
  })

  test('offers known values', async () => {
    expect(await offers('accounts', 'list', '-o', 'j')).toEqual(['json', 'jsonl'])
    expect(await offers('accounts', 'list', '--output=y')).toEqual(['--output=yaml'])
    expect(await offers('events', 'list', '--type', 'account.s')).toEqual(['account.suspended'])
    expect(await offers('completion', 'z')).toEqual(['zsh'])
  })

  test('offers names from the server', async () => {
    expect(await offers('accounts', 'show', 'a')).toEqual(['alice'])
    expect(await offers('accounts', 'set-package', 'alice', 's')).toEqual(['small'])
    expect(await offers('accounts', 'set-package', 'alice', '--package', 'l')).toEqual(['large'])
    expect(await offers('jobs', 'list', '--account', 'b')).toEqual(['bob'])
  })

  test('offers members of the given account', async () => {
    const token = { id: ids.token, name: 'deploy' }
    stub.handle(({ path }) =>
      path === `/accounts/${ids.alice}/tokens` ? { body: { items: [token], total: 1 } } : undefined,
    )
    expect(await offers('tokens', 'revoke', '--account', 'alice', 'd')).toEqual(['deploy'])
  })

  test('offers nothing, silently, without a server', async () => {
    env = { PANEL_URL: 'http://127.0.0.1:1' }
    expect(await offers('accounts', 'show', '')).toEqual([])
    env = { PANEL_URL: stub.url }
    stub.handle(() => ({ delay: 12_000 }))
    const begun = performance.now()
    expect(await offers('accounts', 'show', '')).toEqual([])
    expect(performance.now() - begun, 'it does not wait for the answer').toBeLessThan(10_000)
  })
})

describe('panel completion install', () => {
  test.each([
    ['bash', '.local/share/bash-completion/completions/panel', 'panel.bash'],
    ['zsh', '.local/share/zsh/site-functions/_panel', '_panel'],
    ['fish', '.config/fish/completions/panel.fish', 'panel.fish'],
  ])('puts the script where %s looks for it, once', async (shell, place, script) => {
    const home = scratchFolder()
    const file = join(home, place)
    for (const output of ['was written', 'is up to date']) {
      const result = await panel(['completion', 'install'], { env: { HOME: home, SHELL: `/bin/${shell}` } })
      expect(result).toEqual({ code: 0, stdout: `${file}\n`, stderr: expect.stringContaining(`${file} ${output}`) })
    }
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(join(root, 'completions', script), 'utf8'))
  })

  test('lists the shells it can install for', async () => {
    const { code, stderr } = await panel(['completion', 'install'], { env: { SHELL: '/bin/tcsh' } })
    expect(code).toBe(2)
    expect(stderr).toContain('bash, zsh, fish')
  })
})

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0
const folder = join(root, 'completions')
const shim = (): Record<string, string> => environment({ ...env, PATH: `${shimFolder()}:${process.env['PATH']}` })

/** A directory with the executable under its installed name. */
function shimFolder(): string {
  const directory = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim()
  execFileSync('ln', ['-s', bin, join(directory, 'panel')])
  return directory
}

/** What bash would put on the line. */
function inBash(line: string): Promise<string> {
  const script = `
    source ${folder}/panel.bash
    COMP_LINE=$TYPED; COMP_POINT=\${#COMP_LINE}
    IFS=$' \\t\\n' read -r -a COMP_WORDS <<<"\${COMP_LINE//[@=:]/ & }"
    [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    typed=\${COMP_WORDS[COMP_CWORD]}; [[ $typed == [:=] ]] && typed=
    _panel panel "$typed"; printf '%s\\n' "\${COMPREPLY[@]}"`
  return ended(spawn('bash', ['-c', script], { env: { ...shim(), TYPED: line } })).then(
    ({ stdout, stderr }) => stdout + stderr,
  )
}

describe.runIf(has('bash'))('completion in bash', () => {
  test.each([
    ['panel acc', 'accounts\n'],
    ['panel accounts show a', 'alice\n'],
    ['panel accounts list --output=y', 'yaml\n'],
    ['panel accounts list -o js', 'json\njsonl\n'],
  ])('completes %s', async (line, expected) => {
    env = { PANEL_URL: stub.url }
    expect(await inBash(line)).toBe(expected)
  })

  test('does not execute what is on the line', async () => {
    expect(await inBash('panel accounts show $(echo alice >&2)')).not.toContain('alice')
  })
})

describe.runIf(has('fish'))('completion in fish', () => {
  test('offers names and descriptions', async () => {
    env = { PANEL_URL: stub.url }
    const script = `source ${folder}/panel.fish; complete -C 'panel accounts sus'`
    const { stdout } = await ended(spawn('fish', ['-c', script], { env: shim() }))
    expect(stdout).toBe('suspend\tSuspend an account\n')
  })
})

describe.runIf(has('zsh'))('completion in zsh', () => {
  test('generates a valid script', () => {
    expect(spawnSync('zsh', ['-n', join(folder, '_panel')]).status).toBe(0)
  })
})
