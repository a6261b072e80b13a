import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { generatedFiles, staleFiles } from '../../src/generate.ts'
import { bin, ended, ensureBuilt, environment, root } from './run.ts'
import { startStub } from './stub.ts'

test('generated files are up to date with the contract', async () => {
  expect(staleFiles(await generatedFiles()), 'run `npm run generate`').toEqual([])
})

const hasMandoc = spawnSync('mandoc', ['-h']).error === undefined

test.runIf(hasMandoc)('manual pages pass the linter', () => {
  const pages = readdirSync(join(root, 'man')).map((page) => join(root, 'man', page))
  const { stdout } = spawnSync('mandoc', ['-Tlint', ...pages], { encoding: 'utf8' })
  expect(stdout).toBe('')
})

/** What a client file imports, packages included, except types and lazy imports. */
function importsOf(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known
  known.add(file)
  if (!file.endsWith('.ts')) return known
  const source = readFileSync(file, 'utf8')
  for (const [, name = ''] of source.matchAll(/^(?:import|export) (?!type )[^'";]*?from '([^']+)'/gm))
    importsOf(name.startsWith('.') ? join(dirname(file), name) : name, known)
  return known
}

describe('files that every command loads', () => {
  test('loads no package, however the command is run', () => {
    const imported = [...importsOf(join(root, 'src/cli/quick.ts')), ...importsOf(join(root, 'src/cli/main.ts'))]
    expect(imported).toContain(join(root, 'src/cli/request/list.ts'))
    expect(imported.filter((name) => !name.startsWith('/') && !name.startsWith('node:'))).toEqual([])
  })

  test('loads one file next to the executable, and no part of Node for fetch or ES modules', async () => {
    ensureBuilt()
    const stub = await startStub()
    onTestFinished(() => stub.close())
    const report = `process.on('exit', () => console.error(JSON.stringify([Object.keys(require.cache), process.moduleLoadList])))`
    const words = ['--eval', `${report}; process.argv.splice(1, 0, 'panel'); require('${bin}')`, 'accounts', 'list']
    const child = spawn(process.execPath, words, { env: environment({ PANEL_URL: stub.url }) })
    const { code, stdout, stderr } = await ended(child)
    expect({ code, stdout: stdout.split('\t')[0] }).toEqual({ code: 0, stdout: 'username' })
    const [files, modules] = JSON.parse(stderr) as string[][]
    expect(files).toEqual([bin, join(root, 'dist/cli/quick.cjs')])
    expect(modules?.filter((name) => /undici|crypto$|worker_threads|child_process|readline|zlib/.test(name))).toEqual(
      [],
    )
  })
})

test('the client does not use fetch for the network', () => {
  ensureBuilt()
  for (const name of readdirSync(join(root, 'dist/cli')).filter((one) => one.endsWith('.cjs')))
    expect(readFileSync(join(root, 'dist/cli', name), 'utf8'), name).not.toMatch(/\bfetch\(/)
})
