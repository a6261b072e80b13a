import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
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
    await expect(host.driver.apps.status(undefined)).resolves.toMatchObject({
      items: [{ status: 'running', release: 1 }],
    })
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
