import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { password, textOf, Visitor } from '../web/visitor.ts'
import { resellerToken } from '../world.ts'
import { events, filesBelow, namesIn, nothing, received, sha256, withHome } from './fixtures.ts'

test('a backup contains files, mail, zones and configuration, each with its checksum', async () => {
  const { panel, alice, path, folder, get } = await withHome()
  const reply = await panel.post(path, { note: 'before v2' })
  expect(reply.status).toBe(202)
  expect(reply.body.backup).toMatchObject({ kind: 'manual', status: 'running', username: 'alice', note: 'before v2' })
  expect(await events(panel)).toEqual({
    events: ['backup.started', 'job.completed'],
    jobs: ['backup.account succeeded'],
  })
  const backup = await get(reply.body.backup.id)
  expect(backup).toMatchObject({ status: 'complete', job_id: reply.body.job_id, account_id: alice.id })
  expect(backup.parts).toEqual([
    { part: 'files', status: 'ok', files: expect.any(Number), bytes: expect.any(Number) },
    { part: 'mysql', status: 'absent' },
    { part: 'mail', status: 'ok', files: 1, bytes: expect.any(Number) },
    { part: 'dns', status: 'ok', files: 1, bytes: expect.any(Number) },
    { part: 'config', status: 'ok', files: 1, bytes: expect.any(Number) },
  ])
  const made = join(folder, backup.id)
  expect(statSync(made).mode & 0o777).toBe(0o700)
  const names = ['account.json', 'dns/alice.example.zone', 'files.tar.zst', 'mail.tar.zst']
  expect(filesBelow(made)).toEqual([...names, 'manifest.json'])
  const manifest = JSON.parse(readFileSync(join(made, 'manifest.json'), 'utf8'))
  expect(manifest).toMatchObject({ format: 1, backup: backup.id, compression: 'zstd', account: { id: alice.id } })
  for (const { name, bytes, sha256: sum } of manifest.entries)
    expect([statSync(join(made, name)).size, sha256(join(made, name))]).toEqual([bytes, sum])
  expect(manifest.entries.map(({ name }: { name: string }) => name).sort()).toEqual(names)
  expect(backup.manifest_sha256).toBe(sha256(join(made, 'manifest.json')))
  expect(backup.size_bytes).toBe(filesBelow(made).reduce((sum, name) => sum + statSync(join(made, name)).size, 0))
})

test('a machine without MariaDB leaves the databases out, and the backup says so', async () => {
  const { panel, alice, path, get } = await withHome()
  await panel.post(`/accounts/${alice.id}/mysql/databases`, { name: 'alice_shop' })
  await panel.settle()
  const reply = await panel.post(path, {})
  await panel.settle()
  const { parts } = await get(reply.body.backup.id)
  const warnings = ['Left out, as this machine has no MariaDB: alice_shop.']
  expect(parts[1]).toEqual({ part: 'mysql', status: 'absent', warnings })
  const { log } = (await panel.get(`/jobs/${reply.body.job_id}`)).body
  expect(log.map(({ message }: { message: string }) => message)).toContain(`mysql: ${warnings[0]}`)
  await panel.put('/root/password', { new_password: password })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const page = await root.get(`/admin/accounts/alice/backups/${reply.body.backup.id}`)
  expect(textOf(page.body)).toMatch(/Partial .* · Without MySQL/)
  expect(textOf((await root.get('/admin/accounts/alice/backups')).body)).toContain('Partial')
  const idsWith = async (status: string) =>
    (await panel.get(`/backups?status=${status}`)).body.items.map(({ id }: { id: string }) => id)
  expect([await idsWith('partial'), await idsWith('complete')]).toEqual([[reply.body.backup.id], []])
  expect((await root.get('/admin/backups?status=partial')).body).toContain(reply.body.backup.id)
  expect((await root.get('/admin/backups?status=complete')).body).not.toContain(reply.body.backup.id)
  expect((await panel.get("/backups?status=partial' OR 1")).status).toBe(400)
})

test('tar unpacks it unchanged: names of any bytes, links as links, modes and times', async () => {
  const { panel, home, folder, made } = await withHome()
  const backup = await made({ parts: ['files', 'mail'] })
  const out = join(panel.dir, 'out')
  mkdirSync(join(out, 'mail'), { recursive: true })
  const archive = (part: string) => join(folder, backup.id, `${part}.tar.zst`)
  execFileSync('tar', ['--zstd', '-xf', archive('files'), '-C', out])
  execFileSync('tar', ['--zstd', '-xf', archive('mail'), '-C', join(out, 'mail')])
  rmSync(join(home, 'tmp'), { recursive: true })
  execFileSync('diff', ['-r', '--no-dereference', home, out])
  const listed = (folder: string) =>
    execFileSync('sh', ['-c', 'find . -type f -printf "%P %m %Ts\\n" | sort'], { cwd: folder })
  expect(listed(out).toString()).toBe(listed(home).toString())
})

test('mail, temporary files, the trash and releases that are not live are excluded from the files', async () => {
  const { home, folder, made } = await withHome()
  mkdirSync(join(home, '.trash/one'), { recursive: true })
  for (const release of ['1', '2']) {
    mkdirSync(join(home, 'apps/shop/releases', release), { recursive: true })
    writeFileSync(join(home, 'apps/shop/releases', release, 'app.js'), release)
  }
  symlinkSync('releases/2', join(home, 'apps/shop/current'))
  const backup = await made({ parts: ['files'] })
  const names = namesIn(join(folder, backup.id, 'files.tar.zst'))
  expect(names.filter((name) => /^(mail|tmp|\.trash)/.test(name))).toEqual([])
  expect(names.filter((name) => name.startsWith('apps/'))).toEqual([
    'apps/',
    'apps/shop/',
    'apps/shop/current',
    'apps/shop/releases/',
    'apps/shop/releases/2/',
    'apps/shop/releases/2/app.js',
  ])
})

test('a socket or a pipe is skipped with a warning', async () => {
  const { home, made } = await withHome()
  execFileSync('mkfifo', [join(home, 'sites/pipe')])
  const { status, parts } = await made({ parts: ['files'] })
  expect([status, parts[0].warnings]).toEqual([
    'complete',
    ['sites/pipe: is a device, a socket or a pipe, and was left out'],
  ])
})

test('a part that cannot be saved makes the backup incomplete and its job fail; nothing outside is read', async () => {
  const { panel, home, path, folder, get } = await withHome()
  rmSync(join(home, 'mail'), { recursive: true })
  symlinkSync('/etc', join(home, 'mail'))
  const { backup, job_id } = (await panel.post(path, {})).body
  expect(await events(panel)).toEqual({ events: ['backup.started', 'job.failed'], jobs: ['backup.account failed'] })
  const made = await get(backup.id)
  expect(made).toMatchObject({ status: 'incomplete', expires_at: panel.clock.now() + 3 * 86_400_000 })
  expect(made.parts[2]).toEqual({ part: 'mail', status: 'failed', error: 'mail: there is no directory in its place.' })
  const { job } = (await panel.get(`/jobs/${job_id}`)).body
  expect(job.error).toBe('The backup is incomplete: mail: mail: there is no directory in its place.')
  expect(filesBelow(join(folder, backup.id))).not.toContain('mail.tar.zst')
  panel.clock.jump(3 * 86_400_000)
  await panel.clock.advance(60_000)
  await panel.settle()
  expect((await panel.get(`${path}/${backup.id}`)).status).toBe(404)
  expect(existsSync(join(folder, backup.id))).toBe(false)
})

test('a backup contains no secret in plain text', async () => {
  const { panel, alice, folder, made } = await withHome()
  const [zone] = (await panel.get(`/accounts/${alice.id}/dns/zones`)).body.items
  expect((await panel.post(`/accounts/${alice.id}/dns/zones/${zone.id}/dnssec`)).status).toBeLessThan(300)
  const backup = await made()
  const { areas } = JSON.parse(readFileSync(join(folder, backup.id, 'account.json'), 'utf8'))
  expect(areas.dns.zones[0].private_key).toMatch(/^v2\./)
  expect(JSON.stringify(areas)).not.toMatch(/PRIVATE|password/)
})

test('during a backup, another one is refused as busy, and so are its check, restore and deletion', async () => {
  const { panel, path } = await withHome()
  const { backup } = (await panel.post(path, {})).body
  const answers = [
    await panel.post(path, {}),
    await panel.delete(`${path}/${backup.id}`),
    await panel.post(`${path}/${backup.id}/check`),
    await panel.post(`${path}/${backup.id}/restore`),
  ]
  expect(answers.map(received)).toEqual(['409 busy', '409 busy', '409 busy', '409 busy'])
  expect(await events(panel)).toEqual({
    events: ['backup.started', 'job.completed'],
    jobs: ['backup.account succeeded'],
  })
})

test('invalid input changes nothing', async () => {
  const { panel, path } = await withHome()
  const bodies = [
    { parts: [] },
    { parts: ['all'] },
    { parts: ['files', 'files'] },
    { note: 'x'.repeat(256) },
    { destination_id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH' },
    { kind: 'final' },
  ]
  const answers = []
  for (const body of bodies) answers.push(received(await panel.post(path, body)))
  expect(answers).toEqual([
    '400 validation parts',
    '400 validation parts',
    '400 validation parts',
    '400 validation note',
    '400 validation destination_id',
    '400 validation kind',
  ])
  expect(await events(panel)).toEqual(nothing)
})

test('only root chooses the destination of a backup', async () => {
  const { panel, alice, path, made } = await withHome()
  const { destination_id } = await made({ parts: ['config'] })
  const token = await panel.token(['account:write'], { account: alice.id })
  panel.forget()
  expect(received(await panel.post(path, { destination_id }, { token }))).toBe('400 validation destination_id')
  expect(await events(panel)).toEqual(nothing)
})

test('a package limits the number of manual backups', async () => {
  const { panel, path, made } = await withHome()
  const [plan] = (await panel.get('/packages')).body.items
  expect((await panel.patch(`/packages/${plan.id}`, { max_backups: 1 })).body.max_backups).toBe(1)
  const { id } = await made({ parts: ['config'] })
  expect(received(await panel.post(path, {}))).toBe('409 limit-reached max_backups')
  await panel.delete(`${path}/${id}`)
  expect(received(await panel.post(path, {}))).toBe('409 limit-reached max_backups')
  await panel.settle()
  expect((await panel.post(path, { parts: ['config'] })).status).toBe(202)
})

test('a check finds one changed byte, and passes without it', async () => {
  const { panel, path, folder, made, get } = await withHome()
  const { id } = await made()
  panel.forget()
  expect((await panel.post(`${path}/${id}/check`)).status).toBe(202)
  expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.check succeeded'] })
  expect(await get(id)).toMatchObject({ status: 'complete', checked_at: panel.clock.now() })
  const archive = join(folder, id, 'files.tar.zst')
  const bytes = readFileSync(archive)
  bytes[100]! ^= 1
  writeFileSync(archive, bytes)
  const { job_id } = (await panel.post(`${path}/${id}/check`)).body
  await panel.settle()
  expect((await get(id)).status).toBe('damaged')
  const { log } = (await panel.get(`/jobs/${job_id}`)).body
  expect(log.map(({ message }: { message: string }) => message)).toContain('files.tar.zst has changed.')
  panel.forget()
  expect(received(await panel.post(`${path}/${id}/restore`))).toBe('409 incomplete')
  expect(await events(panel)).toEqual(nothing)
  renameSync(join(folder, id, 'manifest.json'), join(folder, id, 'other'))
  const again = (await panel.post(`${path}/${id}/check`)).body
  await panel.settle()
  const lines = (await panel.get(`/jobs/${again.job_id}`)).body.log
  expect(lines.map(({ message }: { message: string }) => message)).toContain('manifest.json is missing.')
})

test('a deleted backup is gone from disk and list; repeating the request meanwhile returns its job', async () => {
  const { panel, path, folder, made } = await withHome()
  const { id } = await made()
  panel.forget()
  const first = (await panel.delete(`${path}/${id}`)).body
  const second = (await panel.delete(`${path}/${id}`)).body
  expect([first.backup.status, second.job_id]).toEqual(['deleting', first.job_id])
  expect(received(await panel.post(`${path}/${id}/check`))).toBe('409 busy')
  expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.delete succeeded'] })
  expect(existsSync(folder)).toBe(false)
  expect((await panel.get(path)).body).toEqual({ items: [], total: 0 })
})

test('a cancelled backup is failed, and leaves nothing behind', async () => {
  const { panel, path, folder, get, made } = await withHome()
  const { backup } = (await panel.post(path, {})).body
  const reply = await panel.post(`${path}/${backup.id}/cancel`)
  expect([reply.status, reply.body.job_id]).toEqual([202, backup.job_id])
  expect(await events(panel)).toEqual({ events: ['backup.started'], jobs: ['backup.account cancelled'] })
  expect(existsSync(join(folder, backup.id))).toBe(false)
  expect((await get(backup.id)).status).toBe('failed')
  const full = await made({ parts: ['config'] })
  expect(received(await panel.post(`${path}/${full.id}/cancel`))).toBe('409 not-cancellable')
})

test('the list of all includes backups of deleted accounts, and a reseller sees its own', async () => {
  const { panel, alice, made } = await withHome()
  const { id } = await made({ parts: ['config'] })
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  await panel.settle()
  const { items } = (await panel.get('/backups?q=alice')).body
  expect(items.map((one: { id: string; username: string }) => [one.id, one.username])).toEqual([[id, 'alice']])
  expect(items[0].expires_at).toBe(panel.clock.now() + 30 * 86_400_000)
  const rita = await panel.account('rita', { make_reseller: true })
  const token = await resellerToken(panel, rita.id, ['file-restore'])
  expect((await panel.get('/backups', { token })).body.total).toBe(0)
  expect((await panel.get(`/backups?account_id=${alice.id}&status=complete`)).body.total).toBe(1)
  expect((await panel.get('/backups?status=failed')).body.total).toBe(0)
})

test('terminating an account stops its backup', async () => {
  const { panel, alice, path } = await withHome()
  const { backup } = (await panel.post(path, {})).body
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  expect(await events(panel)).toEqual({
    events: ['backup.started', 'account.terminated', 'job.completed'],
    jobs: ['backup.account cancelled', 'account.terminate succeeded'],
  })
  const [stored] = (await panel.get('/backups')).body.items
  expect([stored.id, stored.status]).toEqual([backup.id, 'failed'])
})
