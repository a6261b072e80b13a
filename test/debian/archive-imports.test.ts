import { expect, test } from 'vitest'
import { readerWords, unpackerWords } from '../../src/host/debian/imports.ts'
import { base } from '../../src/host/setup/steps/base.ts'
import { facts } from '../setup/context.ts'

test.each([
  [
    'reads',
    readerWords('panel-import-1.service', { path: '/root/a.tar', dirs: ['/root'], maxEntries: 9, maxBytes: 99 }),
  ],
  ['unpacks', unpackerWords('panel-import-1.service', 20_001, '/home/.import-1')],
])('what %s an archive is in a slice with limits, and has its own', (_, words) => {
  for (const property of [
    'Slice=panel_imports.slice',
    'MemoryMax=512M',
    'TasksMax=64',
    'RestrictAddressFamilies=AF_UNIX',
    'SystemCallErrorNumber=EPERM',
  ])
    expect(words).toContain(property)
})

test('the slice has the limits of one account, and its name is that of no account', () => {
  const file = base.files!(facts).find(({ path }) => path === '/etc/systemd/system/panel_imports.slice')!
  expect(file.content).toContain('\n[Slice]\nCPUQuota=100%\nMemoryMax=25%\nTasksMax=200\n')
})
