import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clearZones } from '../../src/host/debian/zones.ts'
import { tempDir } from '../host/helpers.ts'

test('all files of a removed signed zone are deleted, and those of others stay', () => {
  const root = tempDir()
  const zones = 'var/lib/bind/panel/zones'
  const keys = 'var/lib/bind/panel/keys'
  mkdirSync(join(root, zones), { recursive: true })
  const stored = ['', '.jnl', '.jbk', '.signed', '.signed.jnl'].map((ending) => `bob.example.zone${ending}`)
  for (const name of [...stored, ...stored.map((one) => one.replace('bob', 'ann'))])
    if (name !== 'ann.example.zone') writeFileSync(join(root, zones, name), '')
  for (const name of ['ann.example', 'bob.example']) mkdirSync(join(root, keys, name), { recursive: true })
  clearZones([`${zones}/ann.example.zone`, `${zones}/bob.example.zone`, 'etc/bind/panel/zones/ann.example.zone'], root)
  expect(readdirSync(join(root, zones))).toEqual(stored.toSorted())
  expect(readdirSync(join(root, keys))).toEqual(['bob.example'])
})
