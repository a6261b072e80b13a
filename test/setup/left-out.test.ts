import { expect, test } from 'vitest'
import { refuseToLeaveOut } from '../../src/host/setup/left-out.ts'
import type { Choice, Step } from '../../src/host/setup/step.ts'
import { bench, facts } from './ground.ts'

const step = (name: string, packages: readonly string[], choice?: Choice): Step => ({
  name,
  packages: () => packages,
  ...(choice && { choice }),
})
const steps = [step('apps', ['git', 'ssh-client']), step('proftpd', ['proftpd-core', 'ssh-client'], 'ftp')]
const without = { ...facts, without: new Set<Choice>(['ftp']) }

test('a later run cannot leave out what a machine was set up with, and says how to remove it', async () => {
  const ground = bench((command) =>
    command.includes('dpkg-query') ? 'git installed\nssh-client installed\nproftpd-core installed\n' : '',
  )
  await refuseToLeaveOut(ground, steps, without)
  ground.record.note({ running: ['proftpd', 'x'] })
  await refuseToLeaveOut(ground, steps, facts)
  await expect(refuseToLeaveOut(ground, steps, without)).rejects.toMatchObject({
    message:
      'This machine was set up with ftp before: --without leaves out only what is not set up yet, and stops nothing.',
    hint: 'to be rid of it, with its data kept: apt-get remove proftpd-core',
  })
})

test('once its packages are gone it is left out', async () => {
  const ground = bench((command) =>
    command.includes('dpkg-query') ? 'git installed\nproftpd-core config-files\n' : '',
  )
  ground.record.note({ running: ['proftpd', 'x'] })
  await refuseToLeaveOut(ground, steps, without)
})
