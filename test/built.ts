import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { makeReadyKeys } from './ready-keys.ts'
import { contentHash, sourcesHash } from './sources.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'node_modules/.cache/panel-built')
const shipped = 'src/host/agent/service/main.ts'
/** Bundles of older sources are removed after this: another run may still use them. */
const MAX_BUNDLE_AGE_MS = 24 * 3_600_000

const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20.17',
  format: 'cjs',
  logLevel: 'error',
  absWorkingDir: root,
}

/** Packages with native code, or that load files of their own, stay outside. */
const ofServer: BuildOptions = {
  jsx: 'automatic',
  jsxImportSource: 'hono/jsx',
  external: ['better-sqlite3', '@node-rs/argon2', 'pino', 'reflect-metadata'],
  define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__url' },
  banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
}

const files = new Map<string, Promise<string>>()

/** Bundles a program of the server from the current sources, so that it starts as fast as the shipped one. */
export async function builtServer(entry: string): Promise<string> {
  const [file] = await Promise.all([once(entry, bundledServer), makeReadyKeys(root)])
  return file
}

/** Bundles the current host agent; returns Node's arguments to run it. */
export const builtAgent = async (entry = shipped): Promise<readonly string[]> => [await once(entry, bundledAgent)]

/** Named by the sources: what is there is as new as they are, also after an earlier run. */
function once(entry: string, make: (entry: string, outfile: string) => Promise<unknown>): Promise<string> {
  const file = files.get(entry) ?? bundled(entry, make)
  files.set(entry, file)
  return file
}

async function bundled(entry: string, make: (entry: string, outfile: string) => Promise<unknown>): Promise<string> {
  const name = entry.replaceAll(/\W/g, '-')
  const outfile = join(folder, `${name}-${contentHash([dirname(entry)], sourcesHash())}.cjs`)
  if (existsSync(outfile)) return outfile
  mkdirSync(folder, { recursive: true })
  removeOld()
  await make(entry, outfile)
  return outfile
}

function removeOld(): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {}
    if (mtimeMs !== undefined && mtimeMs < Date.now() - MAX_BUNDLE_AGE_MS) rmSync(file, { force: true })
  }
}

const bundledAgent = (entry: string, outfile: string): Promise<void> =>
  atomically(outfile, (fresh) =>
    build({ ...common, external: ['better-sqlite3'], entryPoints: [entry], outfile: fresh }),
  )

async function bundledServer(entry: string, outfile: string): Promise<void> {
  const code = outfile.replace(/\.cjs$/, '.code.cjs')
  await atomically(code, (fresh) => build({ ...common, ...ofServer, entryPoints: [entry], outfile: fresh }))
  await atomically(outfile, (fresh) => writeFileSync(fresh, loaderOf(code)))
}

/** Another worker may be building it or running it. */
async function atomically(file: string, make: (fresh: string) => unknown): Promise<void> {
  const fresh = file.replace(/\.cjs$/, `.${process.pid}.cjs`)
  await make(fresh)
  renameSync(fresh, file)
}

/**
 * Runs a bundle with the machine code that V8 made of it when it first ended by itself: to compile the server takes as
 * long as all else of its start, and tests start it hundreds of times.
 */
const loaderOf = (code: string): string => `
const { readFileSync, renameSync, writeFileSync } = require('node:fs')
const { constants, Script } = require('node:vm')
const file = ${JSON.stringify(code)}
const cache = file + '.' + process.version
const read = () => {
  try {
    return readFileSync(cache)
  } catch {
    return undefined
  }
}
const cachedData = read()
const source = '(function (exports, require, module, __filename, __dirname) {' + readFileSync(file, 'utf8') + '\\n})'
const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
const script = new Script(source, { filename: file, cachedData, importModuleDynamically })
if (cachedData === undefined || script.cachedDataRejected)
  process.once('exit', () => {
    writeFileSync(cache + process.pid, script.createCachedData())
    renameSync(cache + process.pid, cache)
  })
script.runInThisContext().call(exports, exports, require, module, file, __dirname)
`
