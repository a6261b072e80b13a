import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { certificateReloads } from '../../src/host/debian/certificate-reloads.ts'
import { tempDir } from '../host/helpers.ts'

test('each installed daemon reloads a new server certificate in its own way', async () => {
  const root = tempDir()
  const output: string[] = []
  const run = async (program: string, words: readonly string[]): Promise<string> => {
    output.push([program, ...words].join(' '))
    return ''
  }
  const reloads = certificateReloads(run, root)
  const taken = async () => {
    output.length = 0
    for (const reload of reloads) await reload.run(new Set())
    return output
  }
  expect(await taken()).toEqual([])
  for (const file of ['postfix/main.cf', 'dovecot/dovecot.conf', 'proftpd/proftpd.conf']) {
    mkdirSync(dirname(join(root, 'etc', file)), { recursive: true })
    writeFileSync(join(root, 'etc', file), '')
  }
  expect(await taken()).toEqual([
    '/usr/sbin/postfix reload',
    '/usr/bin/doveadm reload',
    '/usr/bin/systemctl reload proftpd',
  ])
  for (const { reads } of reloads) {
    expect(reads('etc/panel/tls/_server.crt')).toBe(true)
    expect(reads('etc/panel/tls/alice.example.crt')).toBe(false)
  }
})
