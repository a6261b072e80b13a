import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Json } from '../harness.ts'
import { events, filesBelow, nothing, received, withHome } from './fixtures.ts'
import { destination, hasRestic } from './remote.ts'

const keyText = `-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNzaC1rZXk='.repeat(8)}\n-----END OPENSSH PRIVATE KEY-----\n`
const sftp = {
  name: 'box',
  type: 'sftp',
  host: 'box.example',
  user: 'host1',
  path: 'backups',
  host_key: `ssh-ed25519 ${'A'.repeat(68)}`,
  private_key: keyText,
}
const s3 = {
  name: 'offsite',
  type: 's3',
  endpoint: 'https://s3.example',
  bucket: 'backups',
  access_key: 'AKIA1',
  secret_key: 'top',
}

test('the first destination is local, and backups are stored there', async () => {
  const { panel, made } = await withHome()
  const { items } = (await panel.get('/backup-destinations')).body
  expect(items).toEqual([
    {
      id: items[0].id,
      name: 'local',
      type: 'local',
      default: true,
      created_at: panel.clock.now(),
      updated_at: panel.clock.now(),
    },
  ])
  expect((await made({ parts: ['config'] })).destination_id).toBe(items[0].id)
})

test('a directory of the host stores backups, which are restored and deleted from there', async () => {
  const { panel, alice, home, path, folder, made } = await withHome()
  const disk = join(panel.dir, 'disk2')
  mkdirSync(disk, { mode: 0o700 })
  const created = await destination(panel, { name: 'disk2', type: 'local', path: disk, default: true })
  expect(created).toEqual({ destination: expect.objectContaining({ name: 'disk2', default: true, path: disk }) })
  const { id, status, destination_id } = await made()
  expect([status, destination_id, existsSync(folder)]).toEqual(['complete', created.destination.id, false])
  expect(filesBelow(join(disk, alice.id, id))).toContain('files.tar.zst')
  expect((await panel.get(`${path}/${id}/download?part=config`)).status).toBe(200)
  rmSync(join(home, 'sites/run.sh'))
  panel.forget()
  await panel.post(`${path}/${id}/restore`, { parts: ['files'], safety: false })
  expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.restore succeeded'] })
  expect(existsSync(join(home, 'sites/run.sh'))).toBe(true)
  await panel.post(`/backup-destinations/${destination_id}/test`)
  expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.test succeeded'] })
  await panel.delete(`${path}/${id}`)
  await panel.settle()
  expect(filesBelow(disk)).toEqual([])
})

test('a directory that others can write to, that is a link, in a home or missing, is refused', async () => {
  const { panel, home } = await withHome()
  const at = (name: string) => join(panel.dir, name)
  mkdirSync(at('open'))
  chmodSync(at('open'), 0o777)
  mkdirSync(at('real'), { mode: 0o700 })
  symlinkSync(at('real'), at('link'))
  mkdirSync(join(home, 'kept'))
  const paths = [at('open'), at('link'), join(home, 'kept'), at('none'), 'relative', '/srv/../etc', `${at('real')}/`]
  for (const path of paths)
    expect([path, received(await panel.post('/backup-destinations', { name: 'x', type: 'local', path }))]).toEqual([
      path,
      '400 validation path',
    ])
  expect((await panel.get('/backup-destinations')).body.items).toHaveLength(1)
})

test('settings are taken as they are pasted', async () => {
  const { panel } = await withHome()
  const dir = mkdtempSync(join(tmpdir(), 'panel-keys-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const keyAt = (name: string, passphrase = '') => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', join(dir, name)])
    return readFileSync(join(dir, name), 'utf8')
  }
  const [key, locked] = [keyAt('key'), keyAt('locked', 'secret')]
  const pub = readFileSync(join(dir, 'key.pub'), 'utf8')
  const host_key = pub.split(' ').slice(0, 2).join(' ')
  const make = async (body: object) => (await panel.post('/backup-destinations', body)).body
  const endpoints = [
    'https://s3.example/',
    ' https://s3.example',
    'https://s3.example/gateway/',
    'https://s3.example/backups',
  ]
  const made = []
  for (const [nth, endpoint] of endpoints.entries())
    made.push((await make({ ...s3, name: `s${nth}`, endpoint, bucket: 'backups' })).destination.endpoint)
  expect(made).toEqual(['https://s3.example', 'https://s3.example', 'https://s3.example/gateway', 'https://s3.example'])
  const scanned = `# box.example:22 SSH-2.0-OpenSSH_9.2\nbox.example ssh-rsa ${'A'.repeat(40)}\nbox.example ${host_key}\n`
  const known = [
    host_key,
    `box.example ${host_key}`,
    `[box.example]:23 ${host_key}`,
    pub,
    `${host_key} root@box`,
    scanned,
  ]
  for (const [nth, text] of known.entries()) {
    const { destination } = await make({
      ...sftp,
      name: `k${nth}`,
      host_key: text,
      private_key: key.replaceAll('\n', '\r\n'),
    })
    expect(destination.host_key, text).toBe(host_key)
  }
  const refused = await make({ ...sftp, name: 'locked', host_key, private_key: locked })
  expect(refused.fields.private_key).toMatch(/^has a passphrase/)
  const http = { ...s3, name: 'http', endpoint: 'http://10.1.2.3:9000' }
  expect((await make(http)).fields.endpoint).toContain('git_networks')
  await panel.patch('/settings', { git_networks: ['10.1.0.0/16'] })
  expect((await make(http)).destination.endpoint).toBe('http://10.1.2.3:9000')
  expect((await make({ ...http, name: 'other', endpoint: 'http://10.2.0.1' })).fields.endpoint).toContain(
    'git_networks',
  )
})

test('the fields of a type are required, and those of another type refused', async () => {
  const { panel } = await withHome()
  const { endpoint: _, ...without } = s3
  const bodies = [
    { name: 'x', type: 'ftp' },
    { name: 'X', type: 'local', path: '/srv' },
    { name: 'x', type: 'local' },
    without,
    { ...s3, endpoint: 'http://s3.example' },
    { ...s3, endpoint: 'https://user@s3.example' },
    { ...s3, bucket: '../x' },
    { ...s3, prefix: '../x' },
    { ...s3, host: 'h.example' },
    { ...sftp, host: '-oProxyCommand=x' },
    { ...sftp, user: 'a b' },
    { ...sftp, path: "x'; id" },
    { ...sftp, host_key: 'ssh-ed25519 AAAA\nevil' },
    { ...sftp, private_key: 'not a key' },
    { ...sftp, port: 0 },
  ]
  const answers = []
  for (const body of bodies) answers.push(received(await panel.post('/backup-destinations', body)))
  const fields = 'type name path endpoint endpoint endpoint bucket prefix host host user path host_key private_key port'
  expect(answers).toEqual(fields.split(' ').map((field) => `400 validation ${field}`))
  const { items } = (await panel.get('/backup-destinations')).body
  expect([items.length, await events(panel)]).toEqual([1, nothing])
})

test('refuses a remote backup without restic', async () => {
  const { panel, path, made } = await withHome()
  const before = await panel.get('/backup-destinations')
  if (hasRestic) {
    const { id } = (await destination(panel, s3)).destination
    vi.stubEnv('PATH', '/nonexistent')
    onTestFinished(() => void vi.unstubAllEnvs())
    const answers = [
      await panel.post(path, { destination_id: id }),
      await panel.put(`${path}/schedule`, { destination_id: id }),
    ]
    expect(answers.map(received)).toEqual(['409 not-configured', '409 not-configured'])
    await panel.delete(`/backup-destinations/${id}`)
  }
  vi.stubEnv('PATH', '/nonexistent')
  onTestFinished(() => void vi.unstubAllEnvs())
  const reply = await panel.post('/backup-destinations', s3)
  expect([received(reply), reply.body.detail]).toEqual([
    '409 not-configured',
    'restic is not installed on the host: install the package restic.',
  ])
  expect((await panel.get('/backup-destinations')).body).toEqual(before.body)
  vi.unstubAllEnvs()
  expect((await made({ parts: ['config'] })).status).toBe('complete')
})

test.skipIf(!hasRestic)('keys are sealed and never shown again; the password is shown once', async () => {
  const { panel } = await withHome()
  const created = await destination(panel, sftp)
  expect(created.encryption_password).toMatch(/^[\w-]{32}$/)
  const { id } = created.destination
  await panel.patch(`/backup-destinations/${id}`, { private_key: keyText.replace('b3B', 'c3B'), port: 2222 })
  const visible = JSON.stringify([
    (await panel.get('/backup-destinations')).body,
    (await panel.get(`/backup-destinations/${id}`)).body,
    (await panel.get('/audit')).body,
    panel.store.sqlite.prepare('SELECT * FROM backup_destinations').all(),
    panel.store.sqlite.prepare('SELECT * FROM audit').all(),
  ])
  for (const secret of [created.encryption_password, 'BEGIN OPENSSH', 'b3BlbnNzaC1rZXk'])
    expect(visible).not.toContain(secret)
  expect((await panel.get(`/backup-destinations/${id}`)).body).toMatchObject({ port: 2222, host: 'box.example' })
})

test('one that is in use cannot be moved; there is always one default', async () => {
  const { panel, path, made } = await withHome()
  const [local] = (await panel.get('/backup-destinations')).body.items
  for (const name of ['one', 'two']) mkdirSync(join(panel.dir, name), { mode: 0o700 })
  const { id } = (await destination(panel, { name: 'one', type: 'local', path: join(panel.dir, 'one') })).destination
  const at = `/backup-destinations/${id}`
  expect(
    received(await panel.post('/backup-destinations', { name: 'one', type: 'local', path: join(panel.dir, 'two') })),
  ).toBe('409 exists name')
  expect(received(await panel.patch(at, { name: 'local' }))).toBe('409 exists name')
  expect(received(await panel.delete(`/backup-destinations/${local.id}`))).toBe('409 in-use')
  expect(received(await panel.patch(`/backup-destinations/${local.id}`, { default: false }))).toBe(
    '400 validation default',
  )
  await panel.put(`${path}/schedule`, { every: 'daily', destination_id: id })
  expect(received(await panel.delete(at))).toBe('409 in-use')
  await panel.put(`${path}/schedule`, {})
  const backup = await made({ parts: ['config'], destination_id: id })
  expect(received(await panel.delete(at))).toBe('409 in-use')
  expect(received(await panel.patch(at, { path: join(panel.dir, 'two') }))).toBe('409 in-use path')
  expect((await panel.patch(at, { default: true, name: 'first' })).body).toMatchObject({ default: true, name: 'first' })
  const visible = (await panel.get('/backup-destinations')).body.items.map((one: Json) => [one.name, one.default])
  expect(visible).toEqual([
    ['local', false],
    ['first', true],
  ])
  await panel.patch(`/backup-destinations/${local.id}`, { default: true })
  await panel.delete(`${path}/${backup.id}`)
  await panel.settle()
  expect((await panel.patch(at, { path: join(panel.dir, 'two') })).status).toBe(200)
  expect((await panel.delete(at)).status).toBe(204)
})

test('a schedule stores its backups where configured', async () => {
  const { panel, alice, path } = await withHome()
  const disk = join(panel.dir, 'disk2')
  mkdirSync(disk, { mode: 0o700 })
  const { id } = (await destination(panel, { name: 'disk2', type: 'local', path: disk })).destination
  expect((await panel.put(`${path}/schedule`, { every: 'daily', destination_id: id })).body.destination_id).toBe(id)
  panel.clock.jump(86_400_000)
  await panel.clock.advance(60_000)
  await panel.settle()
  const [backup] = (await panel.get(path)).body.items
  expect([backup.kind, backup.destination_id]).toEqual(['scheduled', id])
  expect(existsSync(join(disk, alice.id, backup.id, 'manifest.json'))).toBe(true)
})
