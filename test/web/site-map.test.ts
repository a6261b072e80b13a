import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Router } from '../../src/web/pages/router.ts'
import { startPanel } from '../harness.ts'
import { certificate } from '../ssl/openssl.ts'
import { declared } from './map.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

const ofAccount = `
/ /domains /domains/new /domains/a.example /domains/a.example/redirects
/dns /dns/a.example /dns/a.example/new /dns/a.example/records/1 /dns/a.example/text /dns/a.example/settings
/ssl /ssl/a.example /ssl/a.example/install /ssl/requests
/email /email/new /email/a@a.example /email/a@a.example/autoresponder /email/a@a.example/devices
/email/forwarders /email/forwarders/new /email/forwarders/1 /email/domains/a.example /email/spam
/mysql /mysql/a_shop /mysql/users /mysql/users/new /mysql/users/a_shop /mysql/hosts
/files /files/sites/a.example /edit/page.html /trash
/apps /apps/shop /apps/shop/releases/1 /apps/shop/env /apps/shop/log
/backups /backups/1 /backups/1/restore /ftp /ftp/new /ftp/1 /ssh /cron /cron/new /cron/1 /cron/1/runs/2
/logs/a.example /visitors/a.example /usage /activity /jobs/1
/tokens /tokens/new /tokens/1 /webhooks /webhooks/new /webhooks/1 /webhooks/1/deliveries/2 /settings`

const ofServer = `
/ /accounts /accounts/new /domains /resellers /resellers/new /resellers/1 /packages /packages/new /packages/1
/feature-lists /feature-lists/new /feature-lists/1 /acls /acls/new /acls/1 /ips /jobs /events /audit
/tokens /tokens/new /tokens/1 /webhooks /webhooks/new /webhooks/1 /webhooks/1/deliveries/2 /backups
/backup-destinations /backup-destinations/new /backup-destinations/1 /host /settings /license /me`

test('every address of the map has its page', () => {
  const map = new Router(declared)
  const without = (panel: 'user' | 'admin', of: 'account' | 'server', all: string) =>
    all.split(/\s+/).filter((path) => path !== '' && !map.find(panel, of, path))
  expect([
    without('user', 'account', ofAccount),
    without('admin', 'account', ofAccount),
    without('admin', 'server', ofServer),
  ]).toEqual([[], [], []])
})

test('an object named like a page, or like an id, is reached by its id', async () => {
  const beside = (of: string) =>
    declared.flatMap(({ path }) => (path.startsWith(`${of}/`) ? [path.slice(of.length + 1)] : []))
  expect(beside('/apps').filter((rest) => !rest.includes('{'))).toEqual(['new'])
  expect(beside('/packages').filter((rest) => !rest.includes('{'))).toEqual(['new'])
  const { panel, id, alice } = await withAlice()
  await panel.put('/root/password', { new_password: password })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const { app } = (await panel.post(`/accounts/${id}/apps`, { name: 'new', kind: 'static' })).body
  for (const page of ['/user/apps', '/user/search?q=new'])
    expect((await alice.get(page)).body).toContain(`href="/user/apps/${app.id}"`)
  for (const name of ['new', '01K9ZQ5T3M8V4X7C2B6N1D0FGH']) {
    const made = await root.submit(await root.get('/admin/packages/new'), 'createPackage', { name })
    const at = made.headers.get('location')!.split('?')[0]!
    expect(textOf((await root.get(at)).body)).toContain(`${name} · Packages ·`)
    expect((await root.get('/admin/packages')).body).toContain(`href="${at}"`)
    await root.submit(await root.get(at), 'updatePackage', { name: 'plain' })
    const back = await root.submit(await root.get('/admin/packages/plain'), 'updatePackage', { name })
    expect(back.headers.get('location')!.split('?')[0]).toBe(at)
  }
})

async function withAlice() {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const alice = await new Visitor(panel).signIn('alice')
  await panel.settle()
  panel.forget()
  return { panel, id: id as string, alice }
}

test('a certificate is installed on the domain of its page', async () => {
  const { panel, alice } = await withAlice()
  const visible = await alice.get('/user/ssl/alice.example')
  expect(visible.body).toContain('href="/user/ssl/alice.example/install"')
  const form = await alice.get('/user/ssl/alice.example/install')
  expect(formIn(form.body, 'installCertificate').fields.get('domain_id')).toMatch(/^[0-9A-Z]{26}$/)
  const refused = await alice.submit(form, 'installCertificate', { certificate: 'x' })
  expect([refused.status, refused.body.includes('aria-invalid="true"')]).toEqual([400, true])
  const made = certificate({ names: ['alice.example'] })
  const done = await alice.submit(form, 'installCertificate', {
    certificate: made.certificate,
    private_key: made.key,
  })
  await panel.settle()
  expect(textOf((await alice.follow(done)).body)).toMatch(/Certificate installed\. .*alice\.example/)
  expect([panel.events(), panel.jobs()]).toEqual([['ssl.installed', 'job.completed'], ['ssl.install succeeded']])
})

test('a backup shows its parts, and its restore what it replaces', async () => {
  const { panel, id, alice } = await withAlice()
  const { backup } = (await panel.post(`/accounts/${id}/backups`, { parts: ['files', 'config'] })).body
  await panel.settle()
  panel.forget()
  const page = await alice.get(`/user/backups/${backup.id}`)
  expect(textOf(page.body)).toMatch(/● Complete now Download Check Browse Restore… Parts .*Files ● Ok \d+ [\d.]+ k?B/)
  expect(page.body).toContain(`href="/user/backups/${backup.id}/restore"`)
  const asks = await alice.get(`/user/backups/${backup.id}/restore`)
  expect(textOf(asks.body)).toMatch(/is replaced by what the backup holds\. Files: [\d.]+ k?B, .*safety backup/)
  const done = await alice.submit(asks, 'restoreBackup')
  expect(done.headers.get('location')).toMatch(new RegExp(`^/user/backups/${backup.id}\\?done=restoreBackup&job=`))
  await panel.settle()
  expect(textOf((await alice.follow(done)).body)).toContain('The backup is being restored.')
  expect([panel.events(), panel.jobs()]).toEqual([['job.completed'], ['backup.restore succeeded']])
})

test('the days of a log are downloaded from its page', async () => {
  const { panel, alice } = await withAlice()
  const access = join(panel.dir, 'host/var/log/panel/alice/alice.example.access.log')
  writeFileSync(access, 'today\n')
  writeFileSync(`${access}-20260114`, 'yesterday\n')
  const page = await alice.get('/user/logs/alice.example')
  const days = [...page.body.matchAll(/href="([^"]*\/logs\/download\?[^"]*)"/g)].map(([, href]) => href!)
  const read = await Promise.all(days.map((href) => alice.get(href.replaceAll('&amp;', '&'))))
  expect(read.map(({ body }) => body)).toEqual(['today\n', 'yesterday\n'])
  expect((await alice.get('/user/logs/alice.example?kind=error')).body).not.toContain('/logs/download')
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})
