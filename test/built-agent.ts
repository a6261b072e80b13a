import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'node_modules/.cache/panel-agent')
const shipped = 'src/host/agent/service/main.ts'

const built = new Map<string, Promise<readonly string[]>>()

/** The host agent in one file, as it is now: what Node is started with to run it. */
export function builtAgent(entry = shipped): Promise<readonly string[]> {
  const words = built.get(entry) ?? bundled(entry)
  built.set(entry, words)
  return words
}

async function bundled(entry: string): Promise<readonly string[]> {
  const name = entry.replaceAll(/\W/g, '-')
  const [outfile, fresh] = [join(folder, `${name}.cjs`), join(folder, `${name}-${process.pid}.cjs`)]
  mkdirSync(folder, { recursive: true })
  await build({ entryPoints: [join(root, entry)], outfile: fresh, bundle: true, format: 'cjs', platform: 'node' })
  renameSync(fresh, outfile)
  return [outfile]
}
