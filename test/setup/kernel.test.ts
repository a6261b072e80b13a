import { expect, test } from 'vitest'
import { applyStep } from '../../src/host/setup/apply-step.ts'
import type { SetupStep } from '../../src/host/setup/step.ts'
import { cgi } from '../../src/host/setup/steps/cgi.ts'
import { kernel, networkMemory } from '../../src/host/setup/steps/kernel.ts'
import { php } from '../../src/host/setup/steps/php.ts'
import { ssh } from '../../src/host/setup/steps/ssh.ts'
import { terminals } from '../../src/host/setup/steps/terminals.ts'
import { setKernel } from '../../src/host/setup/sysctl.ts'
import { bench, facts } from './context.ts'

const textOf = (step: SetupStep, end: string, found = ''): string => {
  const { content } = step.files!(facts).find(({ path }) => path.endsWith(end))!
  return typeof content === 'string' ? content : content(found)
}

const writes = ({ ran }: { ran: string[] }) =>
  ran.filter((command) => command.includes(' -w ') && !command.includes(' net.ipv4.'))

test('each account has a mount with 50 terminals, and the kernel room for what all accounts may take', async () => {
  expect(textOf(terminals, 'panel-terminals@.service')).toContain(
    '/mount -t devpts -o max=50,gid=tty,mode=0620,ptmxmode=0666,nosuid,noexec devpts /run/panel-terminals/%i\n',
  )
  expect(terminals.dirs).toEqual([{ path: '/run/panel-terminals', mode: 0 }])
  const context = bench(() => '4096')
  await applyStep(context, kernel, facts)
  expect(writes(context)).toEqual([
    '/usr/sbin/sysctl -q -w fs.aio-max-nr=1000000000000',
    '/usr/sbin/sysctl -q -w fs.file-max=1000000000000',
    '/usr/sbin/sysctl -q -w kernel.shmmni=32768',
    '/usr/sbin/sysctl -q -w kernel.pty.max=1000000',
    '/usr/sbin/sysctl -q -w kernel.pty.reserve=995904',
    '/usr/sbin/sysctl -q -w kernel.unprivileged_userns_clone=0',
    '/usr/sbin/sysctl -q -w user.max_net_namespaces=1000',
  ])
  expect(textOf(kernel, '60-panel-kernel.conf')).toContain('\n-kernel.pty.max = 1000000\n')
})

test('connections of an account reach the limits of its slice before those of TCP and UDP, where slices count them', async () => {
  const gib = 2 ** 30
  expect(networkMemory(2 * gib, 2)).toEqual({
    'net.ipv4.tcp_mem': '157286 209715 288358',
    'net.ipv4.udp_mem': '157286 209715 288358',
    'net.ipv4.tcp_max_orphans': 1_000_000,
  })
  expect(networkMemory(2 * gib, 1)).toEqual({})
  const context = bench((command) => (command.includes('tcp_mem') ? '157286\t209715\t288358\n' : '4096'))
  expect(await setKernel(context.run, networkMemory(2 * gib, 2))).toBe(true)
  expect(context.ran.filter((command) => command.includes(' -w '))).toEqual([
    '/usr/sbin/sysctl -q -w net.ipv4.udp_mem=157286 209715 288358',
    '/usr/sbin/sysctl -q -w net.ipv4.tcp_max_orphans=1000000',
  ])
})

test('what the kernel is set to already, or a container may not set, changes nothing', async () => {
  const refusing = bench((command) => (command.includes(' -w ') ? undefined : 'active 4096'))
  expect(await kernel.prepare!(refusing.run, facts)).toBe(false)
  const without = bench(() => undefined)
  expect(await kernel.prepare!(without.run, facts)).toBe(false)
  expect(writes(without)).toEqual([])
})

test.each([
  ['PHP', php, 'panel-php-.service.d/panel.conf', '%j'],
  ['CGI', cgi, 'panel-cgi@.service', '%i'],
])('%s sees the terminals of its account in place of those of the machine', (_name, step, unit, name) => {
  const text = textOf(step, unit)
  expect(text).toMatch(new RegExp(`^BindPaths=.*-/run/panel-terminals/${name}:/dev/pts$`, 'm'))
  expect(text).toContain(`\nWants=panel-terminals@${name}.service\nAfter=panel-terminals@${name}.service\n`)
})

test('so do sessions, also where an earlier version has written the lines for them', () => {
  expect(textOf(ssh, 'namespace.d/panel.conf')).toContain('\n/dev/pts /run/panel-terminals/ user\n')
  const debian = '@include common-session\n'
  const former = `${debian}# panel: sessions of hosted accounts have directories for temporary files of their own
session [success=ignore default=1] pam_succeed_if.so quiet user ingroup panel-ssh
session required pam_namespace.so
`
  const later = `${debian}# panel: sessions of hosted accounts have directories and terminals of their own
session [success=ignore default=2] pam_succeed_if.so quiet user ingroup panel-ssh
session optional pam_exec.so quiet /bin/sh -c [test $PAM_TYPE = close_session || exec /usr/bin/systemctl start panel-terminals@$PAM_USER.service]
session required pam_namespace.so
`
  const now = `# panel: sessions of hosted accounts have directories and terminals of their own
session [success=ignore default=1] pam_succeed_if.so quiet user ingroup panel-ssh
session optional pam_exec.so quiet /bin/sh -c [test $PAM_TYPE = close_session || exec /usr/bin/systemctl start panel-terminals@$PAM_USER.service]
${debian}# panel: sessions of hosted accounts have directories and terminals of their own
session [success=ignore default=1] pam_succeed_if.so quiet user ingroup panel-ssh
session required pam_namespace.so
`
  for (const found of [debian, former, later, now]) expect(textOf(ssh, 'pam.d/sshd', found)).toBe(now)
})

test('nothing of a user is in the environment in which PAM runs a command of root', () => {
  const debian = `session    required     pam_env.so # [1]
session    required     pam_env.so user_readenv=1 envfile=/etc/default/locale
session [success=ok ignore=ignore default=bad] pam_selinux.so open
`
  const [, , command, ...rest] = textOf(ssh, 'pam.d/sshd', debian).split('\n')
  expect(command).toContain('pam_exec.so')
  expect(rest.join('\n')).toContain(debian.replace(' user_readenv=1', ''))
  expect(rest.join('\n')).not.toMatch(/pam_exec|user_readenv/)
})
