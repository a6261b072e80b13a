import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hintIn } from '../../src/host/apps/hints.ts'
import { installPlan } from '../../src/host/apps/project/install-plan.ts'
import { toolchainOf } from '../../src/host/apps/project/toolchain.ts'
import { HostError } from '../../src/host/contract/error.ts'
import { Directory } from '../../src/host/homes/home/directory.ts'
import { runs } from '../fuzz.ts'
import { appHost, orderOf, shortDir, unitOf } from '../host/apps/fixtures.ts'

/** A project whose build needs a tool that the program does not. */
function projectWithTool(): Record<string, string> {
  const files: Record<string, string> = {
    'tool/package.json': JSON.stringify({ name: 'tool', version: '1.0.0', bin: { buildtool: 'cli.js' } }),
    'tool/cli.js':
      '#!/usr/bin/env node\nrequire("fs").writeFileSync("dist.js", "require(\\"http\\").createServer((q, r) => r.end()).listen(process.env.PORT)")\n',
    'package.json': JSON.stringify({
      name: 'site',
      version: '1.0.0',
      scripts: { build: 'buildtool', start: 'node dist.js' },
      devDependencies: { tool: 'file:./tool' },
    }),
  }
  const dir = shortDir()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  execFileSync('npm', ['install', '--package-lock-only', '--offline', '--no-audit', '--no-fund'], { cwd: dir })
  return { ...files, 'package-lock.json': readFileSync(join(dir, 'package-lock.json'), 'utf8') }
}

describe('a deploy of a project as people have it', { timeout: 120_000 }, () => {
  test('NODE_ENV=production: the build has its tools, the release has not', async () => {
    const host = await appHost()
    const unit = unitOf({ start: 'npm start', env: { NODE_ENV: 'production' } })
    await host.apply([unit])
    const { root: _, ...app } = unit
    const { made } = await host.deploy(orderOf(1, host.upload(projectWithTool()), { app, build: 'npm run build' }))
    expect(made.warnings).toEqual([])
    expect(host.lines).toContain('$ npm ci --no-audit --no-fund')
    expect(existsSync(join(host.folder, 'releases/1/dist.js'))).toBe(true)
    expect(existsSync(join(host.folder, 'releases/1/node_modules/tool'))).toBe(false)
  })

  test('another version of Node.js is a warning of the release', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const server = 'require("http").createServer((q, r) => r.end()).listen(process.env.PORT)'
    const { made } = await host.deploy(
      orderOf(1, host.upload({ 'app.js': server, 'package.json': '{"engines":{"node":"12.x"}}', '.nvmrc': '12\n' })),
    )
    expect(made.warnings).toEqual([
      `The source asks for the version of Node.js 12 (.nvmrc), 12.x (engines in package.json), but this host has ${process.version.slice(1)}, which is used.`,
    ])
    expect(host.lines).toContain(`warning: ${made.warnings[0]}`)
  })

  test.each([
    ['require("http").createServer().listen(Number(process.env.PORT))', 'wants a number as PORT'],
    ['require("http").createServer().listen(parseInt(process.env.PORT, 10) || 0)', 'needs --listen port'],
  ])('PORT as a number is recognized: %s', async (server, hint) => {
    const host = await appHost()
    await host.apply([unitOf()])
    const { root: _, ...app } = unitOf({ healthTimeoutS: 2 })
    await expect(host.deploy(orderOf(1, host.upload({ 'app.js': server }), { app }))).rejects.toThrow(hint)
  })

  test('a release whose directory its owner moved while its health was checked does not go live', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const server = (more: string): string =>
      `require("http").createServer((q, r) => { ${more}; r.end() }).listen(process.env.PORT)`
    await host.deploy(orderOf(1, host.upload({ 'app.js': server('') })))
    const moving =
      'const f = require("fs"); try { f.renameSync("../../releases", "../../away"); f.symlinkSync("away", "../../releases") } catch {}'
    await expect(host.deploy(orderOf(2, host.upload({ 'app.js': server(moving) })))).rejects.toThrow()
    await expect(host.driver.apps.appStatus({})).resolves.toMatchObject({
      items: [{ status: 'running', release: 1 }],
    })
  })

  test('an archive with one directory, as git hosts make them, is told', async () => {
    const host = await appHost()
    await host.apply([unitOf({ kind: 'static' })])
    const { root: _, ...app } = unitOf({ kind: 'static' })
    const warnings = async (release: number, files: Record<string, string>, more: object = {}) =>
      (await host.deploy(orderOf(release, host.upload(files), { app, ...more }))).made.warnings
    const debris = { '__MACOSX/._shop-main': 'x', '.DS_Store': 'x' }
    expect(await warnings(1, { 'shop-main/index.html': 'x', ...debris })).toEqual([
      `Everything in the archive is in one directory, shop-main. If that is the app, make it its root: panel apps update ${app.name} --root shop-main`,
    ])
    expect(await warnings(2, { 'shop-main/index.html': 'x' }, { root: 'shop-main' })).toEqual([])
    expect(await warnings(3, { 'public/index.html': 'x' })).toEqual([])
    expect(await warnings(4, { 'shop-main/index.html': 'x', 'README.md': 'x' })).toEqual([])
    expect(await warnings(5, { '$(id)/index.html': 'x' })).toEqual([])
  })

  test('what is not there is named', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const files = { 'app.js': 'require("express")', 'package.json': '{}' }
    await expect(host.deploy(orderOf(1, host.upload(files)))).rejects.toThrow('express is not installed')
    await expect(host.deploy(orderOf(2, host.upload(files), { build: 'npm run build' }))).rejects.toThrow(
      'The command exited with code 1: npm run build. The log says why: package.json has no script build',
    )
  })
})

/** What a person reads of a deploy: one line each, whatever the source contains. */
function expectPlain(sentences: readonly string[]): void {
  for (const sentence of sentences) {
    expect(sentence).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
    expect(sentence.length).toBeLessThan(1_000)
  }
}

describe('any source is planned, or refused in a sentence', () => {
  const words = fc.oneof(
    fc.constantFrom(
      'pnpm@9.1.0',
      'yarn',
      'npm; id',
      '$(id)',
      '>=18',
      '^20 || ~22',
      '\u001b[31m',
      'a\r\nb',
      '\u202e',
      '\ufeff',
    ),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(1_000, 100_000).map((length) => '9'.repeat(length)),
  )
  const value = fc.oneof(words, fc.jsonValue(), fc.dictionary(words, fc.oneof(words, fc.jsonValue()), { maxKeys: 3 }))
  const names = ['dependencies', 'devDependencies', 'workspaces', 'packageManager', 'engines', 'volta', 'scripts']
  const packageJson = fc
    .record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
    .map((fields) => JSON.stringify(fields))
  const cut = fc.tuple(packageJson, fc.nat(200)).map(([text, length]) => text.slice(0, length))
  const text = fc.oneof(packageJson, cut, words)
  const files = fc.dictionary(
    fc.constantFrom(
      ...['package.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', '.nvmrc', '.tool-versions'],
      ...['requirements.txt', 'pyproject.toml', 'Pipfile', 'runtime.txt', '.python-version'],
    ),
    text,
    { maxKeys: 5 },
  )

  test('by its files', async () => {
    const dir = shortDir()
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const { signal } = new AbortController()
    const probes = { cwd: '/', home: '/nonexistent', env: { PATH: '/nonexistent' }, signal, line: () => {} }
    await fc.assert(
      fc.asyncProperty(files, async (all) => {
        rmSync(dir, { recursive: true, force: true })
        mkdirSync(dir)
        for (const [name, content] of Object.entries(all)) writeFileSync(join(dir, name), content)
        const directory = await Directory.at(dir)
        try {
          for (const kind of ['node', 'python'] as const) {
            const callable = async (manager: string) => manager
            const plan = await installPlan(kind, directory, { callable })
            expectPlain([...(plan.notes ?? []), ...(plan.warnings ?? []), plan.command ?? ''])
            const { warning } = await toolchainOf({ ...probes, kind, directory })
            expectPlain(warning === undefined ? [] : [warning])
          }
        } catch (error) {
          expect(error).toBeInstanceOf(HostError)
          expectPlain([(error as Error).message])
        } finally {
          await directory.close()
        }
      }),
      runs(60),
    )
  })

  test('and what its programs print', () => {
    const beginning = fc.constantFrom(
      'Cannot find module ',
      'EADDRINUSE :::',
      'npm ERR! Missing script: ',
      'sh: 1: ',
      '',
    )
    const line = fc.tuple(beginning, words, fc.constantFrom('', ': not found', "'")).map((parts) => parts.join(''))
    const app = { kind: 'node', listen: 'socket' } as Parameters<typeof hintIn>[1]
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => expectPlain([hintIn(lines, app)])),
      runs(),
    )
  })
})
