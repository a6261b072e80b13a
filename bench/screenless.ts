import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, `.cache/bench-${process.pid}`)
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

const entry = `import { serve } from './src/server/serve.ts'
const [dataDir] = process.argv.slice(2)
await serve({ dataDir, host: '127.0.0.1', port: 0, hostname: 'bench.example', noTls: true })`

/** Screens that cannot be opened. */
const none = `import { Hono } from 'hono'
const nothing = () => new Response(null, { status: 404 })
export const createScreens = () => ({ routes: new Hono(), errorPage: nothing, linkEnded: nothing })`

/** In files that are cut the same way: how many there are costs memory too. */
const withoutScreens: Plugin = {
  name: 'without-screens',
  setup(made) {
    made.onResolve({ filter: /\/web\/routes\.tsx$/ }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path, namespace: 'none' },
    )
    made.onLoad({ filter: /./, namespace: 'none' }, () => ({ contents: none, loader: 'ts', resolveDir: root }))
  },
}

/** The server, with its screens in files of their own, as the build makes them, or without. */
export async function bundleOf(screens: 'screens' | 'none'): Promise<string> {
  const outdir = join(folder, screens)
  await build({
    entryPoints: ['src/web/routes.tsx'],
    stdin: { contents: entry, resolveDir: root, loader: 'ts' },
    outdir,
    absWorkingDir: root,
    entryNames: '[name]',
    splitting: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['better-sqlite3', '@node-rs/argon2', 'pino', 'reflect-metadata'],
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx',
    logLevel: 'error',
    plugins: screens === 'none' ? [withoutScreens] : [],
  })
  return join(outdir, 'stdin.js')
}
