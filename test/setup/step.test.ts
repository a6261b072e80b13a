import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { applyStep } from '../../src/host/setup/apply-step.ts'
import { dryRun } from '../../src/host/setup/dry-run.ts'
import type { SetupStep } from '../../src/host/setup/step.ts'
import { bench, facts } from './context.ts'

const step: SetupStep = {
  name: 'toy',
  packages: () => [],
  files: () => [{ path: '/etc/toy.conf', content: 'x\n', mode: 0o644 }],
  check: ['/usr/sbin/toy', '-t'],
  units: () => [
    { name: 'toy.service', run: true, renew: 'reload' },
    { name: 'old-toy.service', run: false },
  ],
}

/** The output of systemctl for healthy units. */
const settled = (command: string): string =>
  command.includes('UnitFileState')
    ? command.includes('old-toy')
      ? 'disabled'
      : 'enabled'
    : command.includes('old-toy')
      ? 'inactive'
      : 'active'
const acts = (ran: readonly string[]) => ran.filter((command) => !command.includes(' show '))

test('a step that was never done is checked, enabled and started', async () => {
  const context = bench((command) => (command.includes(' show ') ? '' : ''))
  expect(await applyStep(context, step, facts)).toBe(true)
  expect(acts(context.ran)).toEqual([
    '/usr/sbin/toy -t',
    '/usr/bin/systemctl enable --quiet toy.service',
    '/usr/bin/systemctl reset-failed toy.service',
    '/usr/bin/systemctl start toy.service',
  ])
})

test('a dry run reports what it would do, and changes nothing', async () => {
  const bare = bench()
  expect(await dryRun(bare, step, facts)).toEqual(['toy: writes /etc/toy.conf', 'toy: starts toy.service'])
  expect([existsSync(`${bare.root}/etc/toy.conf`), acts(bare.ran)]).toEqual([false, []])
  const context = bench(settled)
  await applyStep(context, step, facts)
  expect(await dryRun(context.again(), step, facts)).toEqual([])
  const changed = { ...step, files: () => [{ path: '/etc/toy.conf', content: 'y\n', mode: 0o644 }] }
  expect(await dryRun(context.again(), changed, facts)).toEqual([
    'toy: writes /etc/toy.conf',
    'toy: reloads toy.service',
  ])
  writeFileSync(`${context.root}/etc/toy.conf`, 'by hand\n')
  expect(await dryRun(context.again(), changed, facts)).toEqual(['toy: reloads toy.service'])
})

test('changes nothing when it is repeated', async () => {
  const context = bench(settled)
  await applyStep(context, step, facts)
  const second = context.again()
  expect([await applyStep(second, step, facts), acts(second.ran)]).toEqual([false, []])
})

test('a file that is only a default may change without a restart', async () => {
  const begun: SetupStep = {
    ...step,
    files: () => [
      { path: '/etc/toy.conf', content: 'x\n', mode: 0o644 },
      { path: '/etc/toy.list', content: '', mode: 0o644, seed: true },
    ],
  }
  const context = bench(settled)
  await applyStep(context, begun, facts)
  writeFileSync(`${context.root}/etc/toy.list`, 'of an account\n')
  const second = context.again()
  expect([await applyStep(second, begun, facts), acts(second.ran)]).toEqual([false, []])
})

test('running units get a new configuration, even if the run that wrote it was killed before', async () => {
  const dying = bench((command) => (command.startsWith('/usr/sbin/toy') ? undefined : settled(command)))
  await expect(applyStep(dying, step, facts)).rejects.toThrow('as the test wants it')
  const context = bench(settled, dying.root)
  expect(await applyStep(context, step, facts)).toBe(true)
  expect(acts(context.ran)).toEqual(['/usr/sbin/toy -t', '/usr/bin/systemctl reload toy.service'])
})

test('conflicting services are stopped, and kept from starting', async () => {
  const context = bench((command) => (command.includes('UnitFileState') ? 'enabled' : 'active'))
  await applyStep(context, step, facts)
  expect(context.ran).toContain('/usr/bin/systemctl disable --now --quiet old-toy.service')
})
