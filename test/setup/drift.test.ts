import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyStep } from '../../src/host/setup/apply-step.ts'
import { setupDifferences } from '../../src/host/setup/drift.ts'
import type { SetupStep } from '../../src/host/setup/step.ts'
import { bench, facts } from './context.ts'

const step: SetupStep = {
  name: 'toy',
  packages: () => [],
  files: () => [
    { path: '/etc/toy.conf', content: 'port = 1\n', mode: 0o644 },
    { path: '/etc/toy.key', content: 'secret\n', mode: 0o600 },
    { path: '/etc/toy.list', content: '', mode: 0o644, seed: true },
  ],
  units: () => [
    { name: 'toy.service', run: true },
    { name: 'old-toy.service', run: false },
    { name: 'toy@*.service', run: 'as-it-is' },
  ],
}

/** The output of systemctl for both units: one line each. */
const states = (toy: string, old: string) => (command: string) =>
  command.includes('toy.service old-toy.service') ? `${toy}\n\n${old}\n` : command.includes(' show ') ? 'active' : ''

test('what setup wrote and started is compared with the actual state', async () => {
  const context = bench(states('active', 'inactive'))
  const found = (other = context) =>
    setupDifferences(other.run, { root: context.root, steps: [step], known: async () => facts })
  expect(await found()).toEqual([])
  await applyStep(context, step, facts)
  expect(await found()).toEqual([])
  writeFileSync(join(context.root, 'etc/toy.conf'), 'port = 2\n')
  writeFileSync(join(context.root, 'etc/toy.key'), 'other\n')
  writeFileSync(join(context.root, 'etc/toy.list'), 'of an account\n')
  expect(await found(bench(states('failed', 'active')))).toEqual([
    {
      path: '/etc/toy.conf',
      change: 'changed',
      note: 'for panel host setup',
      diff: '--- /etc/toy.conf\n+++ /etc/toy.conf\n@@ -1,1 +1,1 @@\n-port = 2\n+port = 1\n',
    },
    { path: '/etc/toy.key', change: 'changed', note: 'for panel host setup' },
    { path: 'toy.service', change: 'missing', note: 'is failed, for panel host setup' },
    { path: 'old-toy.service', change: 'surplus', note: 'is active, for panel host setup' },
  ])
  rmSync(join(context.root, 'etc/toy.list'))
  expect((await found()).at(-1)).toEqual({ path: '/etc/toy.list', change: 'missing', note: 'for panel host setup' })
})

test('compares the permissions of what setup created, and restores them', async () => {
  const open: SetupStep = { ...step, dirs: [{ path: '/etc/toys', mode: 0o711 }] }
  const context = bench(states('active', 'inactive'))
  await applyStep(context, open, facts)
  for (const path of ['etc/toys', 'etc/toy.key', 'etc/toy.list']) chmodSync(join(context.root, path), 0o755)
  const found = () => setupDifferences(context.run, { root: context.root, steps: [open], known: async () => facts })
  expect(await found()).toEqual([
    { path: '/etc/toys/', change: 'mode', note: 'mode 0755, should be 0711, for panel host setup' },
    { path: '/etc/toy.key', change: 'mode', note: 'mode 0755, should be 0600, for panel host setup' },
  ])
  await applyStep(context.again(), open, facts)
  expect(await found()).toEqual([])
})
