import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyStep } from '../../src/host/setup/apply-step.ts'
import type { SetupStep } from '../../src/host/setup/step.ts'
import { undoSetup } from '../../src/host/setup/undo.ts'
import { type Bench, bench, facts, has } from './context.ts'

const steps: readonly SetupStep[] = [
  {
    name: 'toy',
    packages: () => ['toyd'],
    files: () => [
      { path: '/etc/toy.conf', content: 'panel\n', mode: 0o644 },
      { path: '/etc/toy.d/panel.conf', content: 'panel\n', mode: 0o644 },
      { path: '/etc/toy.mine', content: 'panel\n', mode: 0o644 },
      { path: '/etc/panel/toy/list', content: '', mode: 0o600, seed: true },
    ],
    undo: async (run) => void (await run('/usr/sbin/toy', ['--forget'])),
    units: () => [
      { name: 'toy.service', run: true },
      { name: 'panel-toy.service', run: true },
      { name: 'old-toy.service', run: false },
    ],
  },
  {
    name: 'login',
    packages: () => ['logind'],
    units: () => [{ name: 'login.service', run: true, keeps: true }],
  },
  { name: 'web', packages: () => ['webd'], units: () => [{ name: 'web.service', run: true }] },
  { name: 'never', packages: () => [], units: () => [{ name: 'never.service', run: true }] },
]

const isThere = ({ root }: Bench, path: string) => existsSync(join(root, path))
const text = ({ root }: Bench, path: string) => readFileSync(join(root, path), 'utf8')
const acts = ({ ran }: Bench) => ran.filter((one) => !/ show | -W /.test(one))
const undo = (context: Bench, yes = true) => undoSetup(context, async () => yes, { steps, known: async () => facts })

async function setUp(noted: { installed?: string[] } = { installed: ['toyd', 'logind'] }): Promise<Bench> {
  const context = bench((command) =>
    command.includes('dpkg-query') ? 'toyd installed\nwebd installed\nlogind installed\n' : 'active',
  )
  has(context.root, 'etc/toy.conf', 'as Debian has it\n')
  context.record.note(noted)
  for (const step of steps.slice(0, 3)) await applyStep(context, step, facts)
  writeFileSync(join(context.root, 'etc/panel/toy/list'), 'of an account\n')
  return context.again()
}

test('what setup created is removed, and what was there before continues', async () => {
  const context = await setUp()
  has(context.root, 'etc/toy.mine', 'mine\n')
  expect(await undo(context)).toBe(true)
  expect([text(context, 'etc/toy.conf'), text(context, 'etc/toy.mine')]).toEqual(['as Debian has it\n', 'mine\n'])
  expect(
    ['etc/toy.d/panel.conf', 'etc/panel', 'etc/toy.conf.panel-orig'].map((path) => isThere(context, path)),
  ).toEqual([false, false, false])
  expect(acts(context)).toEqual([
    '/usr/bin/systemctl disable --now --quiet toy.service',
    '/usr/bin/systemctl disable --now --quiet panel-toy.service',
    '/usr/sbin/toy --forget',
    '/usr/bin/systemctl daemon-reload',
    '/usr/bin/systemctl try-reload-or-restart web.service',
    '/usr/bin/systemctl try-reload-or-restart login.service',
  ])
  expect(context.output).toEqual([
    'toy.service: stopped',
    'panel-toy.service: stopped',
    '/etc/toy.conf: as it was',
    '/etc/toy.d/panel.conf: removed',
    '/etc/toy.mine: was changed by hand, stays',
    'web.service: goes on',
    'login.service: goes on',
    'packages that setup installed: apt-get purge toyd',
  ])
  expect(await undo(context.again())).toBe(false)
})

test('if the previous state is unknown, everything but what the machine needs is stopped', async () => {
  const context = await setUp({})
  await undo(context)
  expect(context.output.slice(0, 3)).toEqual([
    'web.service: stopped',
    'toy.service: stopped',
    'panel-toy.service: stopped',
  ])
  expect(context.output.slice(-2)).toEqual([
    'login.service: goes on',
    'packages that setup installed: apt-get purge webd toyd',
  ])
})

test('nothing is undone without a yes or while an account is hosted', async () => {
  const context = await setUp()
  await expect(undo(context, false)).rejects.toThrow('Nothing was changed.')
  has(context.root, 'var/lib/panel-host/manifest/server.json', '[]')
  has(context.root, 'var/lib/panel-host/manifest/01K9ZQ5T3M8V4X7C2B6N1D0FGH.json', '{}')
  await expect(undo(context)).rejects.toMatchObject({
    message: 'This machine hosts 1 account.',
    hint: 'panel accounts terminate NAME, for each',
  })
  expect([acts(context), text(context, 'etc/toy.conf')]).toEqual([[], 'panel\n'])
})

test('a node is not dismantled while it belongs to a panel', async () => {
  const context = await setUp()
  const known = async () => ({ ...facts, isNode: true })
  await expect(undoSetup(context, async () => true, { steps, known })).rejects.toThrow(
    'This machine is a node of a panel.',
  )
})
