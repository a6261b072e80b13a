import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rehashSources } from './sources.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['dist/web', 'dist/table'].map((folder) => join(root, folder))
const [web, table] = folders as [string, string]
/** Says from which sources which folders were built. */
const stamp = join(root, '.cache/tested.json')

/** Before all tests: builds from the sources what the sources under test read of the build, unless it is there. */
export default async function makeBuilt(): Promise<void> {
  const sources = rehashSources()
  if (readStamp() === stampOf(sources)) return
  await makeBrowser()
  await makeTable()
  mkdirSync(join(root, '.cache'), { recursive: true })
  writeFileSync(stamp, stampOf(sources)!)
}

/** Replaced atomically: other tests may be running. */
async function makeBrowser(): Promise<void> {
  const [esbuild, { buildBrowser }] = await Promise.all([import('esbuild'), import('../packaging/browser.mjs')])
  const fresh = `dist/web-${process.pid}`
  await buildBrowser(esbuild, root, fresh)
  rmSync(web, { recursive: true, force: true })
  renameSync(join(root, fresh), web)
}

async function makeTable(): Promise<void> {
  const { tableFiles } = await import('../src/generate/parts.ts')
  mkdirSync(table, { recursive: true })
  for (const [name, text] of tableFiles()) {
    const file = join(table, `${name}.${process.pid}`)
    writeFileSync(file, text)
    renameSync(file, join(table, name))
  }
}

/** Another build replaces the folders, and so changes what is known of them. */
function stampOf(sources: string): string | undefined {
  const known = folders.map((folder) => statSync(folder, { throwIfNoEntry: false }))
  if (known.includes(undefined)) return undefined
  return JSON.stringify([sources, ...known.map((one) => [one!.ino, one!.mtimeMs])])
}

function readStamp(): string {
  try {
    return readFileSync(stamp, 'utf8')
  } catch {
    return ''
  }
}
