import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import type { Run } from './commands.ts'

const POLL_INTERVAL_MS = 5
const RELOAD_TIMEOUT_MS = 5000

/** A worker that is shutting down says so in its title. */
const title = { worker: 'nginx: worker process', master: 'nginx: master process' }
const reload = ['/usr/bin/systemctl', ['reload', 'nginx']] as const

/**
 * Makes nginx load its files, which were checked before. Workers are replaced asynchronously: until the old ones are
 * shutting down, they answer as before.
 */
export async function reloadNginx(run: Run, { proc = '/proc', pidFile = '/run/nginx.pid', hangUp = hangUpOn } = {}) {
  const master = textOf(pidFile).trim()
  const former = workersOf(proc, master)
  if (!titleOf(proc, master).startsWith(title.master) || !hangUp(Number(master))) return void (await run(...reload))
  const end = performance.now() + RELOAD_TIMEOUT_MS
  while (former.some((pid) => titleOf(proc, pid) === title.worker)) {
    // If it rejected the files, it keeps the old ones: this reload reports why.
    if (performance.now() > end) return void (await run(...reload))
    await after(POLL_INTERVAL_MS)
  }
}

/** `systemctl reload` and `nginx -s reload` would parse all files once more. */
function hangUpOn(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGHUP')
  } catch {
    return false
  }
}

function workersOf(proc: string, master: string): string[] {
  return readdirSync(proc).filter(
    (name) => /^\d+$/.test(name) && parentOf(proc, name) === master && titleOf(proc, name) === title.worker,
  )
}

const parentOf = (proc: string, pid: string): string | undefined =>
  /^PPid:\t(\d+)$/m.exec(textOf(`${proc}/${pid}/status`))?.[1]

const titleOf = (proc: string, pid: string): string => textOf(`${proc}/${pid}/cmdline`).split('\0')[0] ?? ''

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const program = '/usr/sbin/nginx'
const modules = '/etc/nginx/modules-enabled'

/** Whether Debian's package `libnginx-mod-http-brotli-filter` is installed, and its module not disabled. */
export const hasBrotli = (folder = modules): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('-mod-http-brotli-filter.conf'))

const BUILD_TIMEOUT_MS = 10_000
let known: { readonly installed: number; readonly build: string } | undefined

/** Whether the installed nginx answers by QUIC; read again when an update replaces it. */
export function hasHttp3(): boolean {
  const installed = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (known?.installed !== installed) {
    const { stderr } = spawnSync(program, ['-V'], { encoding: 'utf8', timeout: BUILD_TIMEOUT_MS })
    known = { installed, build: stderr ?? '' }
  }
  return known.build.includes('http_v3_module')
}
