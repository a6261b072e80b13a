import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { doStep } from '../../src/host/setup/do-step.ts'
import { foretell } from '../../src/host/setup/foretell.ts'
import type { Step } from '../../src/host/setup/step.ts'
import { bench, facts } from './ground.ts'

const step: Step = {
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
  const ground = bench((command) => (command.includes(' show ') ? '' : ''))
  expect(await doStep(ground, step, facts)).toBe(true)
  expect(acts(ground.ran)).toEqual([
    '/usr/sbin/toy -t',
    '/usr/bin/systemctl enable --quiet toy.service',
    '/usr/bin/systemctl reset-failed toy.service',
    '/usr/bin/systemctl start toy.service',
  ])
})

test('a dry run reports what it would do, and changes nothing', async () => {
  const bare = bench()
  expect(await foretell(bare, step, facts)).toEqual(['toy: writes /etc/toy.conf', 'toy: starts toy.service'])
  expect([existsSync(`${bare.root}/etc/toy.conf`), acts(bare.ran)]).toEqual([false, []])
  const ground = bench(settled)
  await doStep(ground, step, facts)
  expect(await foretell(ground.again(), step, facts)).toEqual([])
  const changed = { ...step, files: () => [{ path: '/etc/toy.conf', content: 'y\n', mode: 0o644 }] }
  expect(await foretell(ground.again(), changed, facts)).toEqual([
    'toy: writes /etc/toy.conf',
    'toy: reloads toy.service',
  ])
  writeFileSync(`${ground.root}/etc/toy.conf`, 'by hand\n')
  expect(await foretell(ground.again(), changed, facts)).toEqual(['toy: reloads toy.service'])
})

test('changes nothing when it is repeated', async () => {
  const ground = bench(settled)
  await doStep(ground, step, facts)
  const second = ground.again()
  expect([await doStep(second, step, facts), acts(second.ran)]).toEqual([false, []])
})

test('a file that is only a default may change without a restart', async () => {
  const begun: Step = {
    ...step,
    files: () => [
      { path: '/etc/toy.conf', content: 'x\n', mode: 0o644 },
      { path: '/etc/toy.list', content: '', mode: 0o644, seed: true },
    ],
  }
  const ground = bench(settled)
  await doStep(ground, begun, facts)
  writeFileSync(`${ground.root}/etc/toy.list`, 'of an account\n')
  const second = ground.again()
  expect([await doStep(second, begun, facts), acts(second.ran)]).toEqual([false, []])
})

test('running units get a new configuration, even if the run that wrote it was killed before', async () => {
  const dying = bench((command) => (command.startsWith('/usr/sbin/toy') ? undefined : settled(command)))
  await expect(doStep(dying, step, facts)).rejects.toThrow('as the test wants it')
  const ground = bench(settled, dying.root)
  expect(await doStep(ground, step, facts)).toBe(true)
  expect(acts(ground.ran)).toEqual(['/usr/sbin/toy -t', '/usr/bin/systemctl reload toy.service'])
})

test('conflicting services are stopped, and kept from starting', async () => {
  const ground = bench((command) => (command.includes('UnitFileState') ? 'enabled' : 'active'))
  await doStep(ground, step, facts)
  expect(ground.ran).toContain('/usr/bin/systemctl disable --now --quiet old-toy.service')
})
