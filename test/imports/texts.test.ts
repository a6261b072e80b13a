import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { subscriptions } from '../../src/host/imports/imap-folder.ts'
import { cpmove, filesOf, wordpress } from './archives.ts'
import { imported, panelWith, reportOf } from './panel.ts'

const withFiles = (files: Readonly<Record<string, string>>): Buffer =>
  cpmove([...wordpress().filter(({ path }) => !Object.hasOwn(files, String(path))), ...filesOf(files)])

test('cron commands run the version of PHP that they name where it is installed', async () => {
  const lines = [
    ['/usr/local/bin/ea-php82 -q x.php', 'php8.2 -q x.php'],
    ['cd /home/alice && ea-php81 x.php', 'cd /home/alice && php8.1 x.php'],
    ['/opt/cpanel/ea-php84/root/usr/bin/php x.php', 'php8.4 x.php'],
    ['/opt/alt/php82/usr/bin/php x.php;/usr/bin/php y.php', 'php8.2 x.php;php y.php'],
    ['/opt/alt/php74/usr/bin/php x.php', 'php x.php'],
    ['/usr/local/cpanel/3rdparty/bin/php z.php', 'php z.php'],
    ['/home/alice/usr/bin/php x.php', '/home/alice/usr/bin/php x.php'],
    ['/usr/local/bin/ea-php82.old x.php', '/usr/local/bin/ea-php82.old x.php'],
  ]
  const { panel, path } = await panelWith({
    'alice.tar.gz': withFiles({ 'cron/alice': lines.map(([command]) => `5 * * * * ${command}\n`).join('') }),
  })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  expect(one.status, one.error).toBe('imported')
  const jobs = (await panel.get(`/accounts/${one.account_id}/cron/jobs`)).body.items
  expect(jobs.map(({ command }: { command: string }) => command).sort()).toEqual(lines.map(([, to]) => to).sort())
  const cron = (await reportOf(panel, one.id)).filter(({ part }) => part === 'cron')
  expect(cron.find(({ line }) => line === 1)).toMatchObject({ outcome: 'changed', text: 'runs php8.2' })
  expect(cron.find(({ line }) => line === 5)).toMatchObject({
    text: expect.stringContaining('PHP 7.4 is not installed'),
    fix: 'panel host setup --php 7.4',
  })
  expect(cron.find(({ line }) => line === 7)).toMatchObject({ outcome: 'as_is' })
})

test('folders in subscriptions have the names of their directories', async () => {
  const box = 'homedir/mail/alice.example/info'
  const list = 'INBOX.Entwürfe\nSent\nA & Ü\n&APw-\n'
  const { panel, path } = await panelWith({
    'alice.tar.gz': withFiles({ [`${box}/subscriptions`]: list, [`${box}/.Entwürfe/cur/1.M1.old,S=2:2,S`]: 'x\n' }),
  })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  expect(one.status, one.error).toBe('imported')
  const maildir = join(panel.dir, 'host/home/alice/mail/alice.example/info/Maildir')
  expect(readFileSync(join(maildir, 'subscriptions'), 'utf8')).toBe('INBOX.Entw&APw-rfe\nSent\nA &- &ANw-\n&APw-\n')
  expect(readFileSync(join(maildir, '.Entw&APw-rfe/cur/1.M1.old,S=2:2,S'), 'utf8')).toBe('x\n')
  const version2 = Buffer.from('V\t2\n\nEntwürfe\tÄrger\n').toString('latin1')
  expect(subscriptions(version2)).toBe('V\t2\n\nEntw&APw-rfe\t&AMQ-rger\n')
})

test('an archive that ends too early names its account as soon as it is known', async () => {
  const bytes = cpmove()
  const { panel, path } = await panelWith({ 'cut.tar.gz': bytes.subarray(0, bytes.length - 400) })
  const created = await panel.post('/imports', { path: path('cut.tar.gz') })
  await panel.settle()
  const { id } = created.body.import
  expect((await panel.get(`/imports/${id}`)).body).toMatchObject({
    ...{ status: 'failed', username: 'alice', main_domain: 'alice.example' },
    source: { format: 'cpanel' },
    error: expect.stringMatching(/^The archive is damaged or incomplete at byte \d+\.$/),
    counts: { as_is: 0, changed: 0, not_possible: 0, conflicts: 0 },
  })
  expect((await panel.get('/imports?q=alice')).body.total).toBe(1)
  expect(panel.store.sqlite.prepare('SELECT source FROM imports').pluck().get()).toBeNull()
})
