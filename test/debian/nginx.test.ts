import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reloadNginx } from '../../src/host/debian/nginx.ts'
import { tempDir } from '../host/helpers.ts'

test('a reload of nginx is over when the workers of before take no more connections', async () => {
  const proc = tempDir()
  const processOf = (pid: number, parent: number, title: string) => {
    mkdirSync(join(proc, String(pid)), { recursive: true })
    writeFileSync(join(proc, String(pid), 'status'), `Name:\tnginx\nPPid:\t${parent}\n`)
    writeFileSync(join(proc, String(pid), 'cmdline'), `${title}\0`)
  }
  writeFileSync(join(proc, 'nginx.pid'), '10\n')
  processOf(10, 1, 'nginx: master process /usr/sbin/nginx')
  processOf(11, 10, 'nginx: worker process')
  processOf(12, 99, 'nginx: worker process')
  const commands: string[] = []
  let isOver = false
  const run = async (program: string, words: readonly string[]) => {
    commands.push([program, ...words].join(' '))
    return ''
  }
  const reloading = reloadNginx(run, proc, join(proc, 'nginx.pid')).then(() => {
    isOver = true
  })
  await expect.poll(() => commands).toEqual(['/usr/bin/systemctl reload nginx'])
  processOf(13, 10, 'nginx: worker process')
  expect(isOver).toBe(false)
  processOf(11, 10, 'nginx: worker process is shutting down')
  await reloading
})
