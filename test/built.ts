import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'node_modules/.cache/panel-built')
const shipped = 'src/host/agent/service/main.ts'

const common: BuildOptions = { bundle: true, platform: 'node', target: 'node20.17', logLevel: 'error' }
const jsx: BuildOptions = { jsx: 'automatic', jsxImportSource: '#jsx' }
/** Packages with native code, or that load files of their own. */
const external = ['better-sqlite3', '@node-rs/argon2', 'pino', 'reflect-metadata']
// CommonJS packages in a bundle load Node's modules with `require`.
const banner = { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" }
const module: BuildOptions = { ...jsx, format: 'esm', external, banner }

const files = new Map<string, Promise<string>>()

/** Bundles a program of the server from the current sources, so that it starts as fast as the shipped one. */
export const builtServer = (entry: string): Promise<string> => once(entry, 'mjs', module)

/** Bundles the current host agent; returns Node's arguments to run it. */
export const builtAgent = async (entry = shipped): Promise<readonly string[]> => [
  await once(entry, 'cjs', { format: 'cjs' }),
]

function once(entry: string, ending: string, options: BuildOptions): Promise<string> {
  const file = files.get(entry) ?? bundled(entry, ending, options)
  files.set(entry, file)
  return file
}

/** Replaced atomically: another worker may be building or running it. */
async function bundled(entry: string, ending: string, options: BuildOptions): Promise<string> {
  const name = join(folder, entry.replaceAll(/\W/g, '-'))
  const [outfile, fresh] = [`${name}.${ending}`, `${name}-${process.pid}.${ending}`]
  mkdirSync(folder, { recursive: true })
  await build({ ...common, ...options, entryPoints: [join(root, entry)], outfile: fresh })
  renameSync(fresh, outfile)
  return outfile
}
