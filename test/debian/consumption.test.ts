import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { consumptionOf } from '../../src/host/debian/consumption.ts'
import { tempDir } from '../host/helpers.ts'

const slice = 'panel.slice/panel-bob.slice'
const megabyte = 1024 * 1024

function groups(files: Readonly<Record<string, string>>): string {
  const root = tempDir()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

test('cgroup v2 reports the CPU time, and the memory without page cache that nobody reads', () => {
  const root = groups({
    [`${slice}/cpu.stat`]: 'usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\n',
    [`${slice}/memory.current`]: `${30 * megabyte + 1}\n`,
    [`${slice}/memory.stat`]: `anon 1\ninactive_file ${10 * megabyte}\nactive_file 5\n`,
  })
  expect(consumptionOf('bob', root)).toEqual({ cpuMs: 1235, memoryMb: 21 })
})

test('cgroup v1 reports the same', () => {
  const root = groups({
    [`unified/${slice}/cpu.stat`]: 'usage_usec 5000\n',
    [`memory/${slice}/memory.usage_in_bytes`]: `${4 * megabyte}\n`,
    [`memory/${slice}/memory.stat`]: `inactive_file 0\ntotal_inactive_file ${megabyte}\n`,
  })
  expect(consumptionOf('bob', root)).toEqual({ cpuMs: 5, memoryMb: 3 })
})

test('an account that runs nothing has no figures', () => {
  expect(consumptionOf('ann', groups({ [`${slice}/cpu.stat`]: 'usage_usec 5\n' }))).toEqual({})
})
