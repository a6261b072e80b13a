import { expect, test } from 'vitest'
import { refuseSkipping } from '../../src/host/setup/skipped-services.ts'
import type { Choice, SetupStep } from '../../src/host/setup/step.ts'
import { bench, facts } from './context.ts'

const step = (name: string, packages: readonly string[], choice?: Choice): SetupStep => ({
  name,
  packages: () => packages,
  ...(choice && { choice }),
})
const steps = [step('apps', ['git', 'ssh-client']), step('proftpd', ['proftpd-core', 'ssh-client'], 'ftp')]
const without = { ...facts, without: new Set<Choice>(['ftp']) }

test('a later run cannot leave out what a machine was set up with, and says how to remove it', async () => {
  const context = bench((command) =>
    command.includes('dpkg-query') ? 'git installed\nssh-client installed\nproftpd-core installed\n' : '',
  )
  await refuseSkipping(context, steps, without)
  context.record.note({ running: ['proftpd', 'x'] })
  await refuseSkipping(context, steps, facts)
  await expect(refuseSkipping(context, steps, without)).rejects.toMatchObject({
    message:
      'This machine was set up with ftp before: --without leaves out only what is not set up yet, and stops nothing.',
    hint: 'to be rid of it, with its data kept: apt-get remove proftpd-core',
  })
})

test('once its packages are gone it is left out', async () => {
  const context = bench((command) =>
    command.includes('dpkg-query') ? 'git installed\nproftpd-core config-files\n' : '',
  )
  context.record.note({ running: ['proftpd', 'x'] })
  await refuseSkipping(context, steps, without)
})
