import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openers } from '../../src/host/debian/programs/places.ts'
import { applyStep } from '../../src/host/setup/apply-step.ts'
import type { SetupStep } from '../../src/host/setup/step.ts'
import { dovecot } from '../../src/host/setup/steps/dovecot.ts'
import { localClients } from '../../src/host/setup/steps/local-clients.ts'
import { phpmyadmin } from '../../src/host/setup/steps/programs/phpmyadmin.ts'
import { programUsers } from '../../src/host/setup/steps/programs/users.ts'
import { webmail } from '../../src/host/setup/steps/programs/webmail.ts'
import { bench, facts, has } from './context.ts'

/** The answers of a machine where a step is complete, with its units running. */
const settled = (command: string): string =>
  command.endsWith('id -nG panel-pma')
    ? 'panel-pma panel-sql'
    : command.includes('UnitFileState')
      ? command.includes('timer')
        ? 'disabled'
        : 'enabled'
      : command.includes('timer')
        ? 'inactive'
        : 'active'
/** A machine without any of it. */
const bare = (command: string): string | undefined => (/\/(?:test|getent) /.test(command) ? undefined : '')
const acts = (ran: readonly string[]) => ran.filter((command) => !/ show | -[ds] |\/id /.test(command))

const textOf = (root: string, path: string): string => readFileSync(root + path, 'utf8')
const modeOf = (root: string, path: string): number => statSync(root + path).mode & 0o777

const config = { phpmyadmin: '/etc/phpmyadmin/conf.d/panel.php', webmail: '/etc/roundcube/config.inc.php' }

test.each<[string, SetupStep, string]>([
  ['phpMyAdmin', phpmyadmin, config.phpmyadmin],
  ['webmail', webmail, config.webmail],
])('%s keeps its secret private and across the next run, which changes nothing', async (_name, step, path) => {
  const context = bench(settled)
  expect(await applyStep(context, step, facts)).toBe(true)
  const first = textOf(context.root, path)
  const second = context.again()
  expect([await applyStep(second, step, facts), acts(second.ran)]).toEqual([false, []])
  expect([textOf(context.root, path), modeOf(context.root, path)]).toEqual([first, 0o640])
  expect(first).toMatch(/'(?:blowfish_secret|des_key)'\] = '(?:[0-9a-f]{32}|[A-Za-z0-9_-]{24})'/)
})

test("Debian's key for Roundcube stays, and its own configuration is backed up", async () => {
  const context = bench(settled)
  has(context.root, config.webmail, "<?php\n$config['des_key'] = 'abcdefghijklmnopqrstuvwx';\n")
  await applyStep(context, webmail, facts)
  expect(textOf(context.root, config.webmail)).toContain("$config['des_key'] = 'abcdefghijklmnopqrstuvwx';")
  expect(textOf(context.root, `${config.webmail}.panel-orig`)).toContain('abcdefghijklmnopqrstuvwx')
})

test('each has folders only for its user, and Roundcube the tables that its user creates', async () => {
  const context = bench(bare)
  await applyStep(context, webmail, facts)
  const made = context.ran.filter((command) => /install|setpriv/.test(command))
  const folder = (name: string) =>
    `/usr/bin/install -d -o panel-webmail -g panel-webmail -m 0700 /var/lib/panel-webmail/${name}`
  expect(made.slice(0, 4)).toEqual(['links', 'sessions', 'temp', 'data'].map(folder))
  expect(made[4]).toMatch(/^\/usr\/bin\/setpriv --reuid=panel-webmail .* \/usr\/bin\/php8\.4 -r /)
})

test('Roundcube tells Dovecot the client address, and Dovecot trusts only the address that Roundcube alone has', async () => {
  const context = bench(settled)
  await applyStep(context, webmail, facts)
  expect(textOf(context.root, openers.webmail)).toContain("['x-originating-ip' => $_SERVER['REMOTE_ADDR']]")
  const text = textOf(context.root, config.webmail)
  expect(text).toContain("['imap_host'] = '127.0.0.2:143';")
  expect(text).toContain("['imap_conn_options'] = ['socket' => ['bindto' => '127.0.0.2:0']];")
  const [table] = localClients.files!(facts)
  const only = 'ip saddr 127.0.0.2 ct direction original meta skuid != panel-webmail reject with tcp reset\n'
  expect(table!.content).toContain(only)
  // Without webmail its user does not exist, and the table could not be loaded.
  expect(localClients.files!({ ...facts, without: new Set(['mail']) })[0]!.content).not.toContain('panel-webmail')
  for (const version of ['2.3', '2.4'] as const) {
    const [main] = dovecot.files!({ ...facts, suite: { ...facts.suite, dovecot: version } })
    expect(main!.content).toContain('\nlogin_trusted_networks = 127.0.0.2\n')
    expect(main!.content).toContain('/etc/panel/mail/webmail')
  }
})

test('users are created only for what is set up', async () => {
  const without = (one: 'mail' | 'mysql') => ({ ...facts, without: new Set([one]) })
  const made = async (received: typeof facts) => {
    const context = bench(bare)
    await applyStep(context, programUsers, received)
    return context.ran.filter((command) => command.includes('useradd')).map((command) => command.split(' ').at(-1))
  }
  expect(await made(facts)).toEqual(['panel-pma', 'panel-webmail'])
  expect([await made(without('mail')), await made(without('mysql'))]).toEqual([['panel-pma'], ['panel-webmail']])
  expect([phpmyadmin.choice, webmail.choice]).toEqual(['mysql', 'mail'])
})

test('neither runs as a user of the web server, sees a home, or reaches a network', async () => {
  const context = bench(settled)
  for (const step of [phpmyadmin, webmail]) {
    await applyStep(context, step, facts)
    const unit = textOf(context.root, `/etc/systemd/system/panel-${step.name}.service`)
    for (const line of ['ProtectHome=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'IPAddressDeny=any'])
      expect(unit).toContain(`\n${line}\n`)
    expect(textOf(context.root, `/etc/panel/programs/${step.name}.conf`)).toMatch(/^user = panel-(?:pma|webmail)$/m)
  }
})
