import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import type { Json } from '../harness.ts'
import { events, received, sha256, withHome } from './fixtures.ts'
import { destination, hasRestic } from './remote.ts'
import { S3Stub } from './s3.ts'

const run = promisify(execFile)
const keys = { access_key: 'AKIATEST', secret_key: 'secret' }

/** A backup in a repository, and another machine with its keys that replaces what is in the backup. */
async function withTwoMachines() {
  const input = await withHome()
  const { panel, made } = input
  const s3 = await S3Stub.start(panel.dir)
  const body = { name: 'offsite', type: 's3', endpoint: s3.endpoint, bucket: 'backups', ...keys }
  const { destination: place, encryption_password } = await destination(panel, body)
  const backup = await made({ destination_id: place.id })
  const dir = join(panel.dir, 'attacker')
  const env = {
    ...process.env,
    RESTIC_REPOSITORY: `s3:${s3.endpoint}/backups`,
    RESTIC_PASSWORD: encryption_password,
    RESTIC_CACHE_DIR: join(panel.dir, 'attacker-cache'),
    ...{ AWS_ACCESS_KEY_ID: keys.access_key, AWS_SECRET_ACCESS_KEY: keys.secret_key },
  }
  const restic = (...words: string[]) => run('restic', ['--quiet', ...words], { env, cwd: dir })
  const replace = async (change: (dir: string) => void) => {
    rmSync(dir, { recursive: true, force: true })
    mkdirSync(dir)
    await restic('restore', 'latest', '--tag', backup.id, '--target', '.')
    change(dir)
    await restic('backup', '--tag', backup.id, ...readdirSync(dir))
  }
  return { ...input, backup, replace }
}

const changes: readonly (readonly [string, string, (dir: string) => void])[] = [
  ['a directory that leads to all files of the machine', 'complete', (dir) => symlinkSync('/', join(dir, 'dns/root'))],
  ['a zone that leads to a device', 'incomplete', (dir) => lead(join(dir, 'dns/alice.example.zone'), '/dev/zero')],
  ['a manifest that is a FIFO', 'incomplete', (dir) => fifo(join(dir, 'manifest.json'))],
  ['a manifest of another backup', 'damaged', (dir) => writeFileSync(join(dir, 'manifest.json'), '{}')],
]

function lead(path: string, target: string): void {
  rmSync(path)
  symlinkSync(target, path)
}

function fifo(path: string): void {
  rmSync(path)
  execFileSync('mkfifo', [path])
}

test.skipIf(!hasRestic).each(changes)(
  'nothing on this machine is followed or written for a backup that has %s',
  { timeout: 60_000 },
  async (_what, is, change) => {
    const { panel, path, backup, replace, get } = await withTwoMachines()
    await replace(change)
    const began = Date.now()
    await panel.post(`${path}/${backup.id}/check`)
    await panel.settle()
    expect(Date.now() - began).toBeLessThan(20_000)
    if (is !== 'incomplete') expect((await get(backup.id)).status).toBe(is)
    expect(readdirSync(join(panel.dir, 'host/var/lib/panel-host/restic'))).toEqual(['cache'])
  },
)

test.skipIf(!hasRestic)(
  'an archive that is replaced between its check and the restore is not swapped in',
  { timeout: 60_000 },
  async () => {
    const { panel, home, path, backup, replace } = await withTwoMachines()
    const index = join(home, 'sites/alice.example/public/index.html')
    const host = panel.panel.fleet.driverOf('local')
    const honest = host.checkBackup.bind(host)
    vi.spyOn(host, 'checkBackup').mockImplementation(async (...words) => {
      const findings = await honest(...words)
      await replace((dir) => {
        const archive = join(dir, 'files.tar.zst')
        const forged = join(panel.dir, 'forged')
        mkdirSync(join(forged, 'sites/alice.example/public'), { recursive: true })
        writeFileSync(join(forged, 'sites/alice.example/public/index.html'), 'forged')
        rmSync(archive)
        execFileSync('tar', ['--zstd', '-cf', archive, '-C', forged, '.'])
      })
      return findings
    })
    const { job_id } = (await panel.post(`${path}/${backup.id}/restore`, { parts: ['files'], safety: false })).body
    await panel.settle()
    const { job } = (await panel.get(`/jobs/${job_id}`)).body
    expect([job.status, job.error]).toEqual([
      'failed',
      'The part files was not restored: The backup is damaged: files.tar.zst has changed.',
    ])
    expect(readFileSync(index, 'utf8')).toBe('<h1>hello</h1>\n')
    expect(readdirSync(home).filter((name) => name.startsWith('restore-'))).toEqual([])
  },
)

test.each(['files./../../../../outside', '../outside', 'dns/../../../outside.zone', 'db/../../outside.sql.zst'])(
  'a manifest that another machine wrote names no file outside of the backup: %s',
  async (name) => {
    const { panel, path, folder, made } = await withHome()
    const { id } = await made({ parts: ['files'] })
    const file = join(folder, id, 'manifest.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    const outside = join(panel.dir, 'outside')
    writeFileSync(outside, 'secret')
    const [entry] = manifest.entries as Json[]
    manifest.entries = [{ ...entry, name, bytes: 6, sha256: sha256(outside) }]
    writeFileSync(file, JSON.stringify(manifest))
    await panel.store.change(
      () =>
        void panel.store.sqlite.prepare('UPDATE backups SET manifest_sha256 = ? WHERE id = ?').run(sha256(file), id),
    )
    for (const query of ['?part=files', '']) {
      const reply = await panel.get(`${path}/${id}/download${query}`)
      expect(received(reply)).toBe('409 incomplete')
      expect(reply.body.detail).toBe('The backup is damaged: manifest.json is not the manifest of a backup.')
    }
    panel.forget()
    await panel.post(`${path}/${id}/check`)
    expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.check succeeded'] })
  },
)

test('a file of a backup that is a link or a FIFO is missing', async () => {
  const { panel, path, folder, made, get } = await withHome()
  const { id } = await made({ parts: ['files'] })
  const archive = join(folder, id, 'files.tar.zst')
  renameSync(archive, `${archive}.former`)
  symlinkSync(`${archive}.former`, archive)
  await panel.post(`${path}/${id}/check`)
  await panel.settle()
  expect((await get(id)).damage).toBe('files.tar.zst is missing.')
  fifo(archive)
  const reply = await panel.get(`${path}/${id}/download?part=files`)
  expect(reply.status).toBe(409)
})
