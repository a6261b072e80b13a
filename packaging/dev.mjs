// npm run dev [-- --port 7711]: builds and serves .panel with the directory driver, and again after each change of a source.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Editors and git write several files at once. */
const SETTLE_MS = 150
const serveWords = ['serve', '--data-dir', '.panel', '--host', '127.0.0.1', '--hostname', 'localhost']

const run = (script, ...words) => spawn(process.execPath, [script, ...words], { cwd: root, stdio: 'inherit' })

let server
let changed = true
let wake = () => {}
let timer

function onChange() {
  clearTimeout(timer)
  timer = setTimeout(() => {
    changed = true
    wake()
  }, SETTLE_MS)
}

const isOver = () => server === undefined || server.exitCode !== null || server.signalCode !== null

async function stop() {
  if (isOver()) return
  const exit = once(server, 'exit')
  server.kill('SIGTERM')
  await exit
}

/** The old server serves until the new build is there, and on if there is none. */
async function rebuild() {
  const [code] = await once(run('build.js'), 'exit')
  if (code !== 0) return process.stderr.write('The build failed: the server is as before.\n')
  await stop()
  server = run('bin/panel.js', ...serveWords, ...process.argv.slice(2))
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await stop()
    process.exit(0)
  })
watch(join(root, 'src'), { recursive: true }, onChange)

for (;;) {
  if (!changed) await new Promise((resolve) => (wake = resolve))
  changed = false
  await rebuild()
}
