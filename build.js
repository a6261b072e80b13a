import { existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const server = 'src/server/serve.ts'

/** Packages with native parts or with worker files of their own stay outside the bundle. */
const external = ['better-sqlite3', '@node-rs/argon2', 'pino', 'reflect-metadata']

/** CommonJS packages inside the bundle call for Node's modules by `require`. */
const banner = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);"

async function bundler() {
  try {
    return await import('esbuild')
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND' && process.argv.includes('--if-possible')) return undefined
    throw error
  }
}

function entries() {
  const client = { 'cli/main': 'src/cli/main.ts', 'cli/complete': 'src/cli/complete.ts' }
  if (existsSync(new URL(server, import.meta.url))) return { ...client, 'server/serve': server }
  process.stderr.write(`${server} is absent: the bundle has no server\n`)
  return client
}

const esbuild = await bundler()
if (esbuild) {
  const entryPoints = entries()
  rmSync(new URL('dist', import.meta.url), { recursive: true, force: true })
  await esbuild.build({
    absWorkingDir: root,
    entryPoints,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.17',
    external: entryPoints['server/serve'] ? external : [...external, '*/server/serve.ts'],
    chunkNames: 'chunks/[name]-[hash]',
    banner: { js: banner },
    logLevel: 'warning',
  })
} else {
  process.stderr.write('esbuild is not installed: dist/ is not built\n')
}
