import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
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
      return { path: `../vendor/${vendorName(path)}.cjs`, external: true }
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
const demanded = (name) =>
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
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({ contents: demanded(path) }))
  },
}

/** The part of the command table that the commands beginning with a word need. */
function partOf(word, { commands, operations, shapes, collections, exits, areas }) {
  const own = commands.filter(({ words }) => words[0] === word)
  const named = own.flatMap(({ operation, twin }) => [operation, twin]).filter((id) => id !== undefined)
  const ids = new Set(named.flatMap((id) => [id, operations[id].reread].filter((id) => id !== undefined)))
  const pick = (object, keys) => Object.fromEntries(Object.entries(object).filter(([key]) => keys.has(key)))
  const shown = new Set([...ids].map((id) => operations[id].shape))
  const part = { commands: own, operations: pick(operations, ids), shapes: pick(shapes, shown) }
  return { ...part, collections, exits, areas: pick(areas, new Set([word])), events: [] }
}

/** Reads the table from files: all of it, or what the commands beginning with a word need. */
const tableReader = `
const { readFileSync } = ${builtin('node:fs')}
const read = (name) => JSON.parse(readFileSync(import.meta.dirname + '/table/' + name + '.json', 'utf8'))
let whole
export const wholeTable = () => (whole ??= read('all'))
export const tableWith = (word) => (words.has(word) ? read(word) : wholeTable())
`

/** The command table is read as data: parsing JSON is faster than compiling it. */
const tableAsData = {
  name: 'table-as-data',
  setup(build) {
    build.onLoad({ filter: /table-data\.ts$/ }, async () => {
      const table = JSON.parse(await readFile(at('src/cli/commands.json'), 'utf8'))
      const words = [...new Set(table.commands.map(({ words }) => words[0]))]
      await mkdir(at(`${fresh}/cli/table`), { recursive: true })
      const put = (name, part) => writeFile(at(`${fresh}/cli/table/${name}.json`), JSON.stringify(part))
      await Promise.all([put('all', table), ...words.map((word) => put(word, partOf(word, table)))])
      return { contents: `const words = new Set(${JSON.stringify(words)})${tableReader}`, loader: 'js' }
    })
  },
}

const small = {
  ...common,
  banner: {},
  outExtension: { '.js': '.cjs' },
  minify: true,
  define: { 'import.meta.dirname': '__dirname' },
}

/** What a module brings along by its own imports, itself first; lazy ones are left out. */
function broughtBy(path, { inputs }, known = new Set()) {
  if (known.has(path)) return known
  known.add(path)
  for (const { path: next, kind } of inputs[path]?.imports ?? []) {
    if (kind === 'import-statement' && next in inputs) broughtBy(next, { inputs }, known)
  }
  return known
}

/** What modules load when they need it. */
const lazyOf = (paths, { inputs }) =>
  paths.flatMap((path) =>
    inputs[path].imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external).map(({ path }) => path),
  )

const main = 'src/cli/main.ts'
const coreName = (path) => path.replace('src/', '')
const fileOf = (path) =>
  path.replace('src/cli/', 'cli/').replace(/\.ts$/, '').replaceAll('/', '-').replace('cli-', 'cli/')

/** The core is one file, and hands its modules to those that are loaded later: each exists once. */
const coreEntry = (core) =>
  [
    `export { main } from './${main}'`,
    ...core.map((path, at) => `import * as m${at} from './${path}'`),
    `export const modules = { ${core.map((path, at) => `'${coreName(path)}': m${at}`).join(', ')} }`,
  ].join('\n')

/** Lazy modules stand in files of their own. */
const lazyApart = {
  name: 'lazy-apart',
  setup(build) {
    build.onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined
      return { path: `./${basename(fileOf(relative(root, join(resolveDir, path))))}.cjs`, external: true }
    })
  },
}

const fromCore = (core) => ({
  name: 'from-core',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ path, kind, resolveDir, importer }) => {
      const found = relative(root, join(resolveDir, path))
      if (!core.includes(found) || kind === 'entry-point') return undefined
      // For each importer apart: a shared one would become a file of its own.
      return { path: found, namespace: 'core', suffix: `?${importer}` }
    })
    build.onResolve({ filter: /./, namespace: 'core' }, ({ path }) => ({ path, external: true }))
    build.onLoad({ filter: /./, namespace: 'core' }, ({ path }) => ({
      contents: `module.exports = require('./main.cjs').modules['${coreName(path)}']`,
    }))
  },
})

const ownImport = /\bimport\(("\.\.?\/[^"]+\.cjs")\)/g

/** A lazy import of what is CommonJS by the loader of CommonJS. */
const required = (code) => code.replace(ownImport, 'Promise.resolve().then(()=>require($1))')

async function write(path, code) {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, required(code))
}

/** Shared parts go into files of their own, which esbuild does for ECMAScript modules alone: they are turned after. */
async function buildShared({ build, transform }, options) {
  const { outputFiles } = await build({ ...small, splitting: true, write: false, ...options })
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: common.target,
      minifyWhitespace: true,
    })
    await write(path, code)
  }
}

/**
 * CommonJS, since Node's loader of ECMAScript modules takes longer than a command. What every command needs is one
 * file: to open many takes longer too.
 */
async function buildClient(esbuild) {
  const packages = new Set()
  const plugins = [onDemand(packages), plainBuiltins, tableAsData]
  const entries = {
    entryPoints: [main, 'src/cli/completion/complete.ts'],
    splitting: true,
    metafile: true,
    write: false,
  }
  const { metafile } = await esbuild.build({ ...small, ...entries, plugins })
  const core = [...broughtBy(main, metafile)].filter((path) => path.startsWith('src/') && path.endsWith('.ts'))
  await buildCore(esbuild, core, plugins)
  const lazy = [...new Set(lazyOf(Object.keys(metafile.inputs), metafile)), 'src/cli/completion/complete.ts']
  await buildShared(esbuild, {
    entryPoints: Object.fromEntries(lazy.filter((path) => !core.includes(path)).map((path) => [fileOf(path), path])),
    chunkNames: 'cli/[name]-[hash]',
    plugins: [fromCore(core), ...plugins, lazyApart],
  })
  const vendors = Object.fromEntries([...packages].map((name) => [`vendor/${vendorName(name)}`, name]))
  await buildShared(esbuild, { entryPoints: vendors, chunkNames: 'vendor/[name]-[hash]' })
}

async function buildCore({ build }, core, plugins) {
  const { outputFiles } = await build({
    ...small,
    format: 'cjs',
    stdin: { contents: coreEntry(core), resolveDir: root },
    entryPoints: undefined,
    outdir: undefined,
    outfile: `${fresh}/cli/main.cjs`,
    outExtension: undefined,
    write: false,
    plugins: [...plugins, lazyApart],
  })
  for (const { path, text } of outputFiles) await write(path, text)
}

/** Only the server's own language; zod brings along all it has, whether used or not. */
const oneLanguage = {
  name: 'one-language',
  setup(build) {
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
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
    plugins: [oneLanguage],
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
