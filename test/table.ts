import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as esbuild from 'esbuild'
import { buildBrowser } from '../packaging/browser.mjs'
import { tableFiles } from '../src/generate/parts.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Replaced atomically: other tests may be running. */
async function makeBrowser(): Promise<void> {
  const fresh = `dist/web-${process.pid}`
  await buildBrowser(esbuild, root, fresh)
  rmSync(join(root, 'dist/web'), { recursive: true, force: true })
  renameSync(join(root, fresh), join(root, 'dist/web'))
}

const folder = fileURLToPath(new URL('../dist/table', import.meta.url))

/** Before all tests: builds from the sources what the sources under test read of the build. */
export default async function makeBuilt(): Promise<void> {
  await makeBrowser()
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of tableFiles()) {
    const file = join(folder, `${name}.${process.pid}`)
    writeFileSync(file, text)
    renameSync(file, join(folder, name))
  }
}
