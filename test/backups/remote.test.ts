import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { events, filesBelow, received, withHome } from './fixtures.ts'
import { destination, hasRestic, hasSftp, startSftp, watchRestic } from './remote.ts'
import { S3Stub } from './s3.ts'

const same = (one: string, other: string): void =>
  void execFileSync('diff', ['-r', '--no-dereference', '-x', 'tmp', one, other])

const secrets = { access_key: 'AKIATEST', secret_key: 'canary-secret-key' }

/** An account with files, and a bucket for its backups; restic is watched. */
async function withBucket() {
  const input = await withHome()
  const { panel } = input
  const restic = watchRestic(panel.dir)
  const s3 = await S3Stub.start(panel.dir)
  const body = { name: 'offsite', type: 's3', endpoint: s3.endpoint, bucket: 'backups', prefix: 'host1', ...secrets }
  const { destination: made, encryption_password } = await destination(panel, body)
  const inBucket = (more: object = {}) => input.made({ destination_id: made.id, ...more })
  return { ...input, restic, s3, offsite: made, password: encryption_password as string, inBucket }
}

const snapshots = (s3: S3Stub): string[] => [...s3.objects.keys()].filter((name) => name.startsWith('host1/snapshots/'))

test.skipIf(!hasRestic)(
  'a backup in a bucket is one encrypted snapshot: checked, downloaded, restored, deleted',
  { timeout: 60_000 },
  async () => {
    const { panel, home, path, folder, s3, offsite, password, restic, inBucket, get } = await withBucket()
    const copy = join(panel.dir, 'copy')
    execFileSync('cp', ['-a', home, copy])
    const backup = await inBucket()
    expect([backup.status, backup.destination_id]).toEqual(['complete', offsite.id])
    expect([existsSync(folder) ? readdirSync(folder) : [], snapshots(s3).length]).toEqual([[], 1])
    const stored = Buffer.concat([...s3.objects.values()]).toString('latin1')
    expect(stored).not.toMatch(/<h1>hello|alice\.example|Subject/)
    expect([...s3.keys]).toEqual([secrets.access_key])

    await panel.post(`${path}/${backup.id}/check`)
    await panel.settle()
    expect(await get(backup.id)).toMatchObject({ status: 'complete', checked_at: expect.any(Number) })

    const one = await panel.get(`${path}/${backup.id}/download?part=config`, { headers: { Range: 'bytes=0-9' } })
    expect([one.status, JSON.parse(one.body).account.username]).toEqual([200, 'alice'])
    expect([one.headers.get('accept-ranges'), one.headers.get('repr-digest')]).toEqual(['none', null])
    const all = await panel.get(`${path}/${backup.id}/download`)
    expect(all.headers.get('content-length')).toBe(
      String(Math.ceil(Number(all.headers.get('content-length')) / 512) * 512),
    )

    rmSync(join(home, 'sites'), { recursive: true })
    mkdirSync(join(home, 'sites'))
    rmSync(join(home, 'mail/alice.example'), { recursive: true })
    panel.forget()
    await panel.post(`${path}/${backup.id}/restore`, { safety: false })
    expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.restore succeeded'] })
    same(home, copy)

    await panel.delete(`${path}/${backup.id}`)
    await panel.settle()
    expect([(await panel.get(path)).body.total, snapshots(s3)]).toEqual([0, []])
    expect((await panel.delete(`/backup-destinations/${offsite.id}`)).status).toBe(204)

    const remaining = [restic.log(), panel.logged.join('\n'), JSON.stringify((await panel.get('/audit')).body)]
    remaining.push(readFileSync(join(panel.dir, 'panel.db')).toString('latin1'))
    for (const text of remaining)
      for (const secret of [secrets.secret_key, password]) expect(text.includes(secret)).toBe(false)
    expect(restic.log()).not.toContain(secrets.access_key)
    expect(readdirSync(join(panel.dir, 'host/var/lib/panel-host/restic'))).toEqual(['cache'])
  },
)

test.skipIf(!hasRestic)(
  'files that restic cannot read fail their part: the backup is incomplete, and the job fails',
  { timeout: 60_000 },
  async () => {
    const { panel, path, offsite, restic, get } = await withBucket()
    restic.failOn('mail.tar.zst')
    panel.forget()
    const { backup } = (await panel.post(path, { destination_id: offsite.id })).body
    expect(await events(panel)).toEqual({ events: ['backup.started', 'job.failed'], jobs: ['backup.account failed'] })
    const made = await get(backup.id)
    expect(made.status).toBe('incomplete')
    expect(made.parts.find(({ part }: Json) => part === 'mail')).toEqual({
      part: 'mail',
      status: 'failed',
      error: 'restic could not read mail.tar.zst.',
    })
    expect(received(await panel.post(`${path}/${backup.id}/restore`, { parts: ['mail'] }))).toBe('409 incomplete')
  },
)

test.skipIf(!hasRestic)(
  'a changed byte in the bucket is detected as damage, and nothing is restored from it',
  { timeout: 60_000 },
  async () => {
    const { panel, home, path, s3, inBucket, get } = await withBucket()
    writeFileSync(join(home, 'sites/noise'), randomBytes(300_000))
    const { id } = await inBucket({ parts: ['files'] })
    const [pack] = [...s3.objects]
      .filter(([name]) => name.startsWith('host1/data/'))
      .sort((a, b) => b[1].length - a[1].length)
    pack![1][pack![1].length >> 1]! ^= 1
    panel.forget()
    await panel.post(`${path}/${id}/check`)
    expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.check succeeded'] })
    expect((await get(id)).status).toBe('damaged')
    expect(received(await panel.post(`${path}/${id}/restore`))).toBe('409 incomplete')
  },
)

test.skipIf(!hasSftp)(
  'backups are stored over SFTP; a server with another host key is refused',
  { timeout: 60_000 },
  async () => {
    const input = await withHome()
    const { panel, home, path } = input
    const restic = watchRestic(panel.dir)
    const box = await startSftp(panel.dir)
    const there = join(panel.dir, 'there')
    const made = await destination(panel, { ...box, name: 'box', path: there })
    const id = made.destination.id
    panel.forget()
    expect((await panel.post(`/backup-destinations/${id}/test`)).status).toBe(202)
    expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.test succeeded'] })
    const backup = await input.made({ destination_id: id })
    expect([backup.status, filesBelow(there).filter((name) => name.startsWith('snapshots/')).length]).toEqual([
      'complete',
      1,
    ])
    rmSync(join(home, 'sites/run.sh'))
    await panel.post(`${path}/${backup.id}/restore`, { parts: ['files'], safety: false })
    await panel.settle()
    expect(existsSync(join(home, 'sites/run.sh'))).toBe(true)
    expect(restic.log()).not.toContain('PRIVATE')
    expect(
      existsSync(join(panel.dir, 'host/var/lib/panel-host/restic/keys')) &&
        readdirSync(join(panel.dir, 'host/var/lib/panel-host/restic/keys')),
    ).toEqual([])

    const other = join(panel.dir, 'other')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', other])
    await panel.patch(`/backup-destinations/${id}`, { host_key: readFileSync(`${other}.pub`, 'utf8').trim() })
    panel.forget()
    const { job_id } = (await panel.post(`/backup-destinations/${id}/test`)).body
    expect(await events(panel)).toEqual({ events: ['job.failed'], jobs: ['backup.test failed'] })
    expect((await panel.get(`/jobs/${job_id}`)).body.job.error).toMatch(
      /^restic snapshots failed: .* showed another host key: /,
    )
    writeFileSync(other, '')
  },
)
