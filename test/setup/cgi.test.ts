import { expect, test } from 'vitest'
import { sandboxProperties } from '../../src/host/debian/sandbox.ts'
import { cgiSocket } from '../../src/host/parts/php/sets.ts'
import type { SetupStep } from '../../src/host/setup/step.ts'
import { cgi } from '../../src/host/setup/steps/cgi.ts'
import { facts } from './context.ts'

const linesOf = (step: SetupStep, name: string): string[] =>
  String(step.files?.(facts).find(({ path }) => path === `/etc/systemd/system/${name}`)?.content).split('\n')

test('the socket where nginx looks for CGI starts with the machine, and never gives up', () => {
  const lines = linesOf(cgi, 'panel-cgi@.socket')
  expect(lines).toEqual(
    expect.arrayContaining([`ListenStream=${cgiSocket('%i')}`, 'TriggerLimitIntervalSec=0', 'WantedBy=sockets.target']),
  )
})

test('CGI scripts run as their account, like its commands, and may send mail', () => {
  const lines = linesOf(cgi, 'panel-cgi@.service')
  const expected = ['User=%i', 'Slice=panel-%i.slice', 'CapabilityBoundingSet=', ...sandboxProperties('%i')]
  expect(lines).toEqual(expect.arrayContaining(expected))
  expect(lines.join('\n')).not.toMatch(/NoNewPrivileges|SystemCall|Restrict(?!art)|ProtectKernel/)
})
