import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const server = 'src/server/serve.ts'

/** Built apart and put in place as a whole, so that nobody runs half a build. */
const fresh = `dist/fresh-${process.pid}`
const at = (path) => new URL(path, import.meta.url)

/** Packages with native parts, or that find files of their own, stay outside the bundles. */
const external = ['better-sqlite3', '@node-rs/argon2', 'pino', 'reflect-metadata']

const common = {
  absWorkingDir: root,
  outdir: fresh,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.17',
  external,
  logLevel: 'warning',
  // CommonJS packages inside a bundle call for Node's modules by `require`.
  banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
}

async function bundler() {
  try {
    return await import('esbuild')
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND' && process.argv.includes('--if-possible')) return undefined
    throw error
  }
}

/** The file a package has below dist/vendor. */
const vendorName = (specifier) => specifier.replace('@', '').replaceAll('/', '-')

/** What the client loads on demand stands in files of its own: other packages, and the server. */
const onDemand = (packages) => ({
  name: 'on-demand',
  setup(build) {
    build.onResolve({ filter: /(server\/serve|store\/(backup|restore))\.ts$/ }, ({ path }) => ({
      path: path.replace('../../', '../').replace(/ts$/, 'js'),
      external: true,
    }))
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind !== 'dynamic-import' || path.startsWith('node:')) return undefined
      packages.add(path)
      return { path: `../vendor/${vendorName(path)}.js`, external: true }
    })
  },
})

const builtin = (name) => `process.getBuiltinModule(${JSON.stringify(name)})`

const isName = (key) => /^[A-Za-z_]\w*$/.test(key) && key !== 'default'

/** Each export by itself, so that only those in use are picked. */
const picked = (name) =>
  [
    `const all = ${builtin(name)}, pick = (key) => all[key]`,
    ...Object.keys(process.getBuiltinModule(name))
      .filter(isName)
      .map((key) => `export const ${key} = /* @__PURE__ */ pick(${JSON.stringify(key)})`),
  ].join('\n')

/** Commander names child_process but never gets to use it here, so that it is not loaded before it is called. */
const required = (name) =>
  name === 'node:child_process'
    ? `exports.spawn = (...all) => ${builtin(name)}.spawn(...all)`
    : `module.exports = ${builtin(name)}`

/** Node's modules without the facade that an `import` of them builds: some hold getters that load far more. */
const plainBuiltins = {
  name: 'plain-builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) => ({
      path,
      namespace: kind === 'require-call' ? 'required' : 'picked',
    }))
    build.onLoad({ filter: /.*/, namespace: 'picked' }, ({ path }) => ({ contents: picked(path) }))
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({ contents: required(path) }))
  },
}

/** The command table is read as data: parsing JSON is faster than compiling it. */
const tableAsData = {
  name: 'table-as-data',
  setup(build) {
    build.onLoad({ filter: /commands\.json$/ }, async ({ path }) => {
      await mkdir(at(`${fresh}/cli`), { recursive: true })
      await writeFile(at(`${fresh}/cli/commands.json`), JSON.stringify(JSON.parse(await readFile(path, 'utf8'))))
      const text = `${builtin('node:fs')}.readFileSync(import.meta.dirname + '/commands.json', 'utf8')`
      return { contents: `export default JSON.parse(${text})`, loader: 'js' }
    })
  },
}

/** One file for each entry: a client that opens many files starts slowly. */
async function buildClient({ build }) {
  const packages = new Set()
  await build({
    ...common,
    entryPoints: { 'cli/main': 'src/cli/main.ts', 'cli/complete': 'src/cli/complete.ts' },
    plugins: [onDemand(packages), plainBuiltins, tableAsData],
  })
  const vendors = Object.fromEntries([...packages].map((name) => [`vendor/${vendorName(name)}`, name]))
  await build({ ...common, entryPoints: vendors, splitting: true, chunkNames: 'vendor/[name]-[hash]' })
}

async function buildServer({ build }) {
  if (!existsSync(at(server))) {
    process.stderr.write(`${server} is absent: nothing is built to serve\n`)
    return
  }
  await build({
    ...common,
    entryPoints: {
      'server/serve': server,
      'store/backup': 'src/store/backup.ts',
      'store/restore': 'src/store/restore.ts',
    },
    splitting: true,
    chunkNames: 'server/[name]-[hash]',
  })
}

function putInPlace() {
  for (const folder of readdirSync(at(fresh))) {
    rmSync(at(`dist/${folder}`), { recursive: true, force: true })
    renameSync(at(`${fresh}/${folder}`), at(`dist/${folder}`))
  }
}

async function buildAll(esbuild) {
  try {
    await buildClient(esbuild)
    if (!process.argv.includes('--client')) await buildServer(esbuild)
    putInPlace()
  } catch (error) {
    // What esbuild refuses it has already shown.
    if (!error.errors) throw error
    process.exitCode = 1
  } finally {
    rmSync(at(fresh), { recursive: true, force: true })
  }
}

const esbuild = await bundler()
if (esbuild) await buildAll(esbuild)
else process.stderr.write('esbuild is not installed: dist/ is not built\n')
