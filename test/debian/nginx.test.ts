import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/host/debian/commands.ts'
import { hasBrotli, reloadNginx } from '../../src/host/debian/nginx.ts'
import { tempDir } from '../host/helpers.ts'

interface Bench {
  readonly received: string[]
  readonly run: Run
  readonly reload: () => Promise<void>
  readonly processOf: (pid: number, parent: number, title: string) => void
}

/** A master, its worker and another master's, as /proc shows them. */
function bench(master = 'nginx: master process /usr/sbin/nginx'): Bench {
  const proc = tempDir()
  const processOf = (pid: number, parent: number, title: string) => {
    mkdirSync(join(proc, String(pid)), { recursive: true })
    writeFileSync(join(proc, String(pid), 'status'), `Name:\tnginx\nPPid:\t${parent}\n`)
    writeFileSync(join(proc, String(pid), 'cmdline'), `${title}\0`)
  }
  const pidFile = join(proc, 'nginx.pid')
  writeFileSync(pidFile, '10\n')
  processOf(10, 1, master)
  processOf(11, 10, 'nginx: worker process')
  processOf(12, 99, 'nginx: worker process')
  const received: string[] = []
  const hangUp = (pid: number) => received.push(`SIGHUP ${pid}`) > 0
  const run: Run = async (program, words) => {
    received.push([program, ...words].join(' '))
    return ''
  }
  return { received, run, processOf, reload: () => reloadNginx(run, { proc, pidFile, hangUp }) }
}

test('a reload of nginx ends when the old workers stop accepting connections', async () => {
  const { received, reload, processOf } = bench()
  let isOver = false
  const reloading = reload().then(() => {
    isOver = true
  })
  await expect.poll(() => received).toEqual(['SIGHUP 10'])
  processOf(13, 10, 'nginx: worker process')
  expect(isOver).toBe(false)
  processOf(11, 10, 'nginx: worker process is shutting down')
  await reloading
  expect(received).toEqual(['SIGHUP 10'])
})

test('if nginx does not run as its file says, systemd is asked, which reports why', async () => {
  const { received, reload } = bench('another program')
  await reload()
  expect(received).toEqual(['/usr/bin/systemctl reload nginx'])
})

test("knows Debian's module for Brotli by its file of modules that nginx loads", () => {
  const folder = tempDir()
  expect([hasBrotli(folder), hasBrotli(join(folder, 'none'))]).toEqual([false, false])
  writeFileSync(join(folder, '50-mod-http-brotli-static.conf'), '')
  expect(hasBrotli(folder)).toBe(false)
  writeFileSync(join(folder, '50-mod-http-brotli-filter.conf'), '')
  expect(hasBrotli(folder)).toBe(true)
})
