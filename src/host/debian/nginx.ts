import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import type { Run } from './commands.ts'

/** A worker that takes connections; one that has been told to end says so in its title. */
const worker = 'nginx: worker process'
const pause = 5
const patience = 5000

/** Has nginx take up its files. Its workers change in their own time: until the old ones let go, they answer as before. */
export async function reloadNginx(run: Run, proc = '/proc', pidFile = '/run/nginx.pid'): Promise<void> {
  const former = workersOf(proc, textOf(pidFile).trim())
  await run('/usr/bin/systemctl', ['reload', 'nginx'])
  const end = performance.now() + patience
  while (former.some((pid) => titleOf(proc, pid) === worker) && performance.now() < end) await after(pause)
}

function workersOf(proc: string, master: string): string[] {
  return readdirSync(proc).filter(
    (name) => /^\d+$/.test(name) && parentOf(proc, name) === master && titleOf(proc, name) === worker,
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
