import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildBrowser } from './packaging/browser.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))

/** Built apart and put in place as a whole, so that nothing runs half a build. */
const fresh = `dist/fresh-${process.pid}`

/** Packages with native parts, or that find files of their own, stay outside the bundles. */
const external = ['better-sqlite3', '@node-rs/argon2', 'pino', 'reflect-metadata']

/** Packages that few commands need: files of their own, so that the others do not read them. */
const rare = {
  // What files that are loaded late import. Node's loader of ECMAScript modules takes longer than reading these.
  cjs: ['commander', 'cli-table3', 'yaml', '@jmespath-community/jmespath', 'node-forge'],
  // What is loaded by `import()`.
  js: ['inquirer', 'conf'],
}

/** What the client loads of the server, by the file it becomes. */
const serverEntries = {
  'server/serve': 'src/server/serve.ts',
  'server/upkeep': 'src/server/upkeep.ts',
  'setup/main': 'src/host/setup/main.ts',
  'node/join': 'src/host/nodes/node/join.ts',
  'mcp/stdio': 'src/mcp/stdio.ts',
}

const common = { absWorkingDir: root, bundle: true, platform: 'node', target: 'node20.17', logLevel: 'warning' }

const vendorName = (name) => `vendor/${name.replace('@', '').replaceAll('/', '-')}`

/** What few commands need of the client's own: it keeps no variables that others share. */
const seldomFiles = [
  'output/screen',
  'output/browser',
  'run/zone-chunks',
  'run/restore-preview',
  'request/choices',
  'request/name-hint',
  'request/id-part',
  'run/empty',
  'input/difference',
  'input/locked-files',
  'run/pack-directory',
  'run/resume',
  'run/dry-run',
]
const seldom = new RegExp(`/(${seldomFiles.map((file) => basename(file)).join('|')})\\.ts$`)

/** Files of their own beside the client's. */
const apart = {
  name: 'apart',
  setup(build) {
    const beside = (name) => ({ path: `../${name}`, external: true })
    build.onResolve({ filter: /^[^./]/ }, ({ path }) => {
      const extension = Object.keys(rare).find((one) => rare[one].includes(path))
      return extension && beside(`${vendorName(path)}.${extension}`)
    })
    build.onResolve({ filter: seldom }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : beside(`cli/${basename(path, '.ts')}.cjs`),
    )
    build.onResolve({ filter: /\/(server|store|setup|node|mcp)\/\w+\.ts$/ }, ({ path }) =>
      beside(`${basename(dirname(path))}/${basename(path, '.ts')}.js`),
    )
  },
}

/**
 * CommonJS, and one file for each of what bin/panel.js starts: Node's loader of ECMAScript modules takes longer than a
 * command does, and so do opening many files and reading what is not needed (`npm run bench:cli`).
 */
const buildClient = ({ build }) =>
  build({
    ...common,
    entryPoints: [
      'src/cli/quick.ts',
      'src/cli/main.ts',
      'src/cli/completion/complete.ts',
      ...seldomFiles.map((file) => `src/cli/${file}.ts`),
    ],
    entryNames: '[name]',
    outdir: `${fresh}/cli`,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minify: true,
    define: { 'import.meta.dirname': '__dirname' },
    plugins: [apart],
  })

/** Only the server's own language; zod brings along all it has, whether used or not. */
const oneLanguage = {
  name: 'one-language',
  setup(build) {
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

const buildModules = ({ build }, entryPoints, options) =>
  build({
    ...common,
    entryPoints,
    outdir: fresh,
    format: 'esm',
    splitting: true,
    external,
    // CommonJS packages inside a bundle call for Node's modules by `require`.
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
    ...options,
  })

const vendorEntries = (names) => Object.fromEntries(names.map((name) => [vendorName(name), name]))

const buildVendors = (esbuild) =>
  Promise.all([
    buildModules(esbuild, vendorEntries(rare.js), { chunkNames: 'vendor/[name]-[hash]', minify: true }),
    esbuild.build({
      ...common,
      entryPoints: vendorEntries(rare.cjs),
      outdir: fresh,
      outExtension: { '.js': '.cjs' },
      format: 'cjs',
      minify: true,
    }),
  ])

const buildServer = (esbuild) =>
  buildModules(esbuild, serverEntries, { chunkNames: 'server/[name]-[hash]', plugins: [oneLanguage] })

/** The host agent in one file by itself, and what works in homes in another, so that processes of their own stay small. */
const buildAgent = (esbuild) =>
  esbuild.build({
    ...common,
    entryPoints: { agent: 'src/host/agent/service/main.ts', home: 'src/host/debian/worker/start.ts' },
    outdir: `${fresh}/host`,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // It finds its compiled part beside itself.
    external: ['better-sqlite3'],
    minifyWhitespace: true,
  })

/** The command table is made by TypeScript from the contract, and read as data: parsing JSON is faster than code. */
async function buildTable({ build }) {
  const outfile = join(root, fresh, 'table.mjs')
  await build({ ...common, entryPoints: ['src/generate/parts.ts'], outfile, format: 'esm', packages: 'external' })
  const { tableFiles } = await import(pathToFileURL(outfile).href)
  rmSync(outfile)
  await mkdir(join(root, fresh, 'table'))
  await Promise.all([...tableFiles()].map(([name, text]) => writeFile(join(root, fresh, 'table', name), text)))
}

function putInPlace() {
  for (const folder of readdirSync(join(root, fresh))) {
    const place = join(root, 'dist', folder)
    if (existsSync(place)) renameSync(place, join(root, fresh, `old-${folder}`))
    renameSync(join(root, fresh, folder), place)
  }
}

async function buildAll(esbuild) {
  try {
    await Promise.all([buildClient(esbuild), buildVendors(esbuild), buildTable(esbuild)])
    if (!process.argv.includes('--client'))
      await Promise.all([buildServer(esbuild), buildAgent(esbuild), buildBrowser(esbuild, root, `${fresh}/web`)])
    putInPlace()
  } catch (error) {
    // What esbuild refuses it has already shown.
    if (!error.errors) throw error
    process.exitCode = 1
  } finally {
    rmSync(join(root, fresh), { recursive: true, force: true })
  }
}

async function bundler() {
  try {
    return await import('esbuild')
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND' && process.argv.includes('--if-possible')) return undefined
    throw error
  }
}

const esbuild = await bundler()
if (esbuild) await buildAll(esbuild)
else process.stderr.write('esbuild is not installed: dist/ is not built\n')
