import { expect, test } from 'vitest'
import { sandboxProperties } from '../../src/host/debian/sandbox.ts'
import { cgiSocket } from '../../src/host/parts/php.ts'
import type { Step } from '../../src/host/setup/step.ts'
import { cgi } from '../../src/host/setup/steps/cgi.ts'
import { php } from '../../src/host/setup/steps/php.ts'
import { facts } from './context.ts'

const linesOf = (step: Step, name: string): string[] =>
  String(step.files?.(facts).find(({ path }) => path === `/etc/systemd/system/${name}`)?.content).split('\n')

test("an account's PHP starts the socket where nginx looks for its CGI", () => {
  expect(linesOf(php, 'panel-php@.service')).toContain('Wants=panel-cgi@%i.socket')
  const lines = linesOf(cgi, 'panel-cgi@.socket')
  expect(lines).toEqual(expect.arrayContaining([`ListenStream=${cgiSocket('%i')}`, 'PartOf=panel-php@%i.service']))
  // Otherwise systemd drops it at boot: services wait for sockets, and this one waits for a service.
  expect(lines).toEqual(expect.arrayContaining(['DefaultDependencies=no', 'After=panel-php@%i.service']))
})

test('CGI scripts run as their account, like its commands, and may send mail', () => {
  const lines = linesOf(cgi, 'panel-cgi@.service')
  const expected = ['User=%i', 'Slice=panel-%i.slice', 'CapabilityBoundingSet=', ...sandboxProperties('%i')]
  expect(lines).toEqual(expect.arrayContaining(expected))
  expect(lines.join('\n')).not.toMatch(/NoNewPrivileges|SystemCall|Restrict(?!art)|ProtectKernel/)
})
