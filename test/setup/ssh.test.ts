import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { applyStep } from '../../src/host/setup/apply-step.ts'
import { php } from '../../src/host/setup/steps/php.ts'
import { webmail } from '../../src/host/setup/steps/programs/webmail.ts'
import { ssh } from '../../src/host/setup/steps/ssh.ts'
import { bench, facts } from './context.ts'

test('no account can connect to the system bus, where PID 1 lists all processes', async () => {
  const context = bench((command) => (command.includes(' show ') ? 'active' : ''))
  await applyStep(context, ssh, facts)
  const policy = readFileSync(`${context.root}/etc/dbus-1/system.d/panel.conf`, 'utf8')
  expect(policy.slice(policy.indexOf('<busconfig>'))).toBe(
    '<busconfig>\n  <policy context="mandatory">\n    <deny group="panel-ssh"/>\n  </policy>\n</busconfig>\n',
  )
  const [grouped, reloaded] = ['groupadd --system panel-ssh', 'systemctl reload dbus.service'].map((words) =>
    context.ran.findIndex((command) => command.endsWith(words)),
  )
  expect(grouped).toBeGreaterThan(-1)
  expect(reloaded).toBeGreaterThan(grouped!)
})

test('no account has its own service manager, which could run commands outside its sessions', () => {
  const { content } = ssh.files!(facts).find(({ path }) => path.endsWith('user@.service.d/panel.conf'))!
  const words = /^ExecCondition=\/bin\/sh -c '(.*)'$/m.exec(content as string)![1]!.replaceAll('$$', '$')
  const exits = (groups: string) =>
    spawnSync('/bin/sh', ['-c', `id() { echo ${groups}; }; ${words}`], { stdio: 'ignore' }).status
  expect([exits('alice panel-ssh'), exits('ann sudo'), exits('panel-ssh-admins')]).toEqual([1, 0, 0])
})

test("no account can reach the socket on which Debian 13's sshd listens since the last boot", async () => {
  const context = bench((command) => (command.includes(' show ') ? 'active' : ''))
  await applyStep(context, ssh, facts)
  const place = `${context.root}/etc/systemd/system/sshd-unix-local.socket.d/panel.conf`
  expect(readFileSync(place, 'utf8')).toMatch(/^\[Socket\]\nSocketMode=0600\n$/m)
  expect(context.ran).toContain('/usr/bin/systemctl try-restart sshd-unix-local*.socket')
})

test.each([
  ['PHP of accounts', php, 'panel-php-.service.d/panel.conf'],
  ['webmail', webmail, 'panel-webmail.service'],
])('%s cannot see its socket', (_name, step, unit) => {
  const { content } = step.files!(facts).find(({ path }) => path.endsWith(unit))!
  expect(content).toMatch(/^InaccessiblePaths=.*-\/run\/dbus\b/m)
})

test('no account connects to the bus or to sockets of PID 1, and idle connections take few of the places of sshd', async () => {
  const context = bench((command) => (command.includes(' show ') ? 'active' : ''))
  await applyStep(context, ssh, facts)
  const text = (path: string) => readFileSync(context.root + path, 'utf8')
  const closed = text('/etc/tmpfiles.d/panel-sockets.conf').matchAll(/^a\+ (\S+) - - - - group:panel-ssh:---$/gm)
  expect([...closed].map(([, path]) => path)).toEqual([
    '/run/dbus/system_bus_socket',
    '/run/systemd/notify',
    '/run/systemd/io.*',
    '/run/systemd/userdb/*',
  ])
  expect(context.ran).toContain('/usr/bin/systemd-tmpfiles --create /etc/tmpfiles.d/panel-sockets.conf')
  const sshd = text('/etc/ssh/sshd_config.d/50-panel.conf')
  expect(sshd.indexOf('PerSourceMaxStartups 10\n')).toBeLessThan(sshd.indexOf('Match '))
  expect(sshd).toContain('\nPerSourceMaxStartups 10\n')
})
