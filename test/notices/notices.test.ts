import { describe, expect, test } from 'vitest'
import { problem } from '../domains/fixtures.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { learn, queue } from '../jobs/fixtures.ts'
import { resellerToken, unknown } from '../world.ts'
import { failing, noticesOf } from './fixtures.ts'

const kinds = (notices: readonly Json[]): string[] => notices.map(({ kind, name }) => `${kind} ${name}`)

async function withAlice() {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const path = `/accounts/${alice.id}`
  /** Her number of files, more than ten. */
  const inodes = async (): Promise<number> => {
    for (let n = 0; n < 10; n++) await panel.post(`${path}/files/directories`, { path: `sites/d${n}` })
    await panel.patch(path, {})
    await panel.settle()
    return (await panel.get(`${path}/usage`)).body.inodes.used
  }
  return { panel, alice, path, inodes }
}

/** Another record, whose job fails. */
async function failToChange(panel: TestPanel, account: string, name: string): Promise<string> {
  const zones = `/accounts/${account}/dns/zones`
  const [{ id }] = (await panel.get(zones)).body.items
  const { body } = await panel.post(`${zones}/${id}/records`, { name, type: 'A', value: '192.0.2.9' })
  await panel.settle()
  panel.forget()
  return body.job_id
}

describe('notices', () => {
  test('shows no notices if all is well', async () => {
    const { panel, path } = await withAlice()
    expect((await panel.get('/notices')).body).toEqual({ items: [], more: false })
    expect((await panel.get(`${path}/notices`)).body).toEqual({ items: [], more: false })
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test('reports limits from nine tenths on, as errors once they are reached, until there is room', async () => {
    const { panel, alice, path, inodes } = await withAlice()
    const used = await inodes()
    const limit = async (inodes_limit: number) => {
      expect((await panel.patch(path, { inodes_limit })).status).toBe(202)
      await panel.settle()
    }
    await limit(used)
    const [notice, ...more] = await noticesOf(panel)
    expect(more).toEqual([])
    expect(notice).toEqual({
      kind: 'inodes-nearly-used',
      severity: 'error',
      object: 'account',
      object_id: alice.id,
      name: 'alice',
      detail: `The account uses ${used} of ${used} files and directories: 100 %.`,
      since: panel.clock.now(),
      operation: 'updateAccount',
      command: 'panel accounts show alice',
      mend: 'panel accounts update alice',
      account_id: alice.id,
      username: 'alice',
    })
    await limit(used + 1)
    expect(await noticesOf(panel, alice.id)).toMatchObject([{ severity: 'warn', since: notice.since }])
    await limit(used * 2)
    expect(await noticesOf(panel)).toEqual([])
    await limit(used)
    await panel.patch(path, { inodes_limit: null })
    expect(await noticesOf(panel)).toEqual([])
  })

  test('reports disk space and bandwidth as they are measured', async () => {
    const { panel, path } = await withAlice()
    await panel.patch(path, { disk_quota_mb: 1000, bw_limit_mb: 1000 })
    await panel.settle()
    const measure = (disk: number, traffic: number) =>
      panel.store.change(
        () =>
          void panel.store.sqlite
            .prepare('UPDATE accounts SET disk_used_mb = ?, bw_used_month_mb = ?')
            .run(disk, traffic),
      )
    await measure(799, 899)
    expect(await noticesOf(panel)).toEqual([])
    await measure(900, 1001)
    expect(await noticesOf(panel)).toMatchObject([
      {
        kind: 'bandwidth-nearly-used',
        severity: 'error',
        detail: 'The account uses 1001 of 1000 MB of bandwidth this month: 100 %.',
      },
      { kind: 'disk-nearly-full', severity: 'warn', detail: 'The account uses 900 of 1000 MB of disk space: 90 %.' },
    ])
    await measure(100, 0)
    expect(await noticesOf(panel)).toEqual([])
  })

  test('reports a failed job, until it is retried with success or a later one fixes it', async () => {
    const { panel, alice, path } = await withAlice()
    failing(panel, 'dns.zone.update', 'The disk is full.')
    const job = await failToChange(panel, alice.id, 'one')
    const received = {
      kind: 'job-failed',
      severity: 'error',
      object: 'job',
      object_id: job,
      name: 'dns.zone.update',
      detail: 'The disk is full.',
      since: panel.clock.now(),
      operation: 'retryJobForAccount',
      command: `panel jobs show ${job} -a alice`,
      mend: `panel jobs retry ${job} -a alice`,
      account_id: alice.id,
      username: 'alice',
    }
    expect(await noticesOf(panel)).toEqual([received])
    expect(await noticesOf(panel, alice.id)).toEqual([received])
    await panel.restart()
    expect(await noticesOf(panel)).toEqual([received])
    failing(panel, 'dns.zone.update', 'The disk is full.')
    const second = await failToChange(panel, alice.id, 'two')
    expect(await noticesOf(panel)).toHaveLength(2)
    await panel.restart()
    await panel.post(`${path}/jobs/${second}/retry`)
    await panel.settle()
    expect(await noticesOf(panel)).toEqual([])
  })

  test('reports a failed backup until another succeeds', async () => {
    const { panel, alice, path } = await withAlice()
    const repair = failing(panel, 'backup.account', 'The disk is full.')
    await panel.post(`${path}/backups`, {})
    await panel.settle()
    expect(await noticesOf(panel, alice.id)).toMatchObject([
      { kind: 'backup-failed', severity: 'error', detail: 'The disk is full.', operation: 'createBackup' },
    ])
    repair()
    await panel.post(`${path}/backups`, { parts: ['config'] })
    await panel.settle()
    expect(await noticesOf(panel, alice.id)).toEqual([])
  })

  test('reports a certificate that was not issued, until it is', async () => {
    const { panel, alice, path } = await withAlice()
    await panel.patch('/settings', { acme_directory_url: 'https://127.0.0.1:14000/dir' })
    const [domain] = (await panel.get(`${path}/domains`)).body.items
    failing(panel, 'ssl.issue', 'alice.example could not be validated: it answers elsewhere.')
    const issue = () => panel.post(`${path}/ssl/issue`, { domain_id: domain.id })
    const first = await issue()
    expect(first.status, JSON.stringify(first.body)).toBe(202)
    await panel.settle()
    const began = panel.clock.now()
    const received = {
      kind: 'certificate-failed',
      severity: 'error',
      object: 'domain',
      object_id: domain.id,
      name: 'alice.example',
      detail: 'alice.example could not be validated: it answers elsewhere.',
      since: began,
      operation: 'issueCertificate',
      command: 'panel domains show alice.example -a alice',
      mend: 'panel ssl issue alice.example -a alice',
      account_id: alice.id,
      username: 'alice',
    }
    expect(await noticesOf(panel)).toEqual([received])
    await panel.clock.advance(1000)
    await issue()
    await panel.settle()
    expect(await noticesOf(panel, alice.id)).toEqual([received])
    await panel.delete(`${path}?confirm=alice`)
    await panel.settle()
    expect(await noticesOf(panel)).toEqual([])
  })

  test('reports the newest failures of each kind: an account cannot add to them without end', async () => {
    const { panel, alice, path } = await withAlice()
    const bob = await panel.account('bob')
    failing(panel, 'dns.zone.update', 'The disk is full.')
    const other = await failToChange(panel, bob.id, 'one')
    const failed: string[] = []
    for (let n = 0; n < 25; n++) {
      await panel.clock.advance(1000)
      failed.push(await failToChange(panel, alice.id, `n${n}`))
    }
    const reported = await noticesOf(panel)
    expect(reported.map(({ object_id }) => object_id)).toEqual([...failed.slice(5).toReversed(), other])
    await panel.clock.advance(1000)
    failing(panel, 'dns.zone.update', 'The disk is full.')
    expect((await panel.post(`${path}/jobs/${failed[0]}/retry`)).status).toBe(202)
    await panel.settle()
    expect((await noticesOf(panel, alice.id)).map(({ object_id }) => object_id)).toEqual([
      failed[0],
      ...failed.slice(6).toReversed(),
    ])
  })

  test('dismisses notices, which come back when the same fails again', async () => {
    const { panel, alice, path } = await withAlice()
    failing(panel, 'dns.zone.update', 'The disk is full.')
    const job = await failToChange(panel, alice.id, 'one')
    const body = { kind: 'job-failed', object_id: job }
    expect((await panel.post(`${path}/notices/dismiss`, body)).status).toBe(204)
    expect([await noticesOf(panel), await noticesOf(panel, alice.id)]).toEqual([[], []])
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    const [entry] = (await panel.get('/audit?operation=dismissNoticeForAccount')).body.items
    expect(entry).toMatchObject({ object_id: job, username: 'alice', after: { kind: 'job-failed' } })
    expect(problem(await panel.post(`${path}/notices/dismiss`, body))).toEqual([404, 'not-found'])
    await panel.clock.advance(1000)
    expect((await panel.post(`${path}/jobs/${job}/retry`)).status).toBe(202)
    await panel.settle()
    expect(kinds(await noticesOf(panel))).toEqual(['job-failed dns.zone.update'])
  })

  test('shows notices of the server only to root, who dismisses them', async () => {
    const { panel, path } = await withAlice()
    learn(panel, { kind: 'test.server', run: () => Promise.reject(new Error('no')), maxAttempts: 1 })
    const job = await queue(panel, 'test.server')
    await panel.settle()
    const body = { kind: 'job-failed', object_id: job }
    expect(await noticesOf(panel)).toEqual([
      {
        kind: 'job-failed',
        severity: 'error',
        object: 'job',
        object_id: job,
        name: 'test.server',
        detail: 'The job stopped because of an internal error; see the server log.',
        since: panel.clock.now(),
        command: `panel jobs show ${job}`,
      },
    ])
    expect(problem(await panel.post(`${path}/notices/dismiss`, body))).toEqual([404, 'not-found'])
    const reseller = await resellerToken(panel, (await panel.account('rita')).id, ['all'])
    expect((await panel.get('/notices', { token: reseller })).body.items).toEqual([])
    expect(problem(await panel.post('/notices/dismiss', body, { token: reseller }))).toEqual([404, 'not-found'])
    expect((await panel.post('/notices/dismiss', body)).status).toBe(204)
    expect(await noticesOf(panel)).toEqual([])
  })

  test('shows notices of an account that could not be created to its creator', async () => {
    const { panel } = await withAlice()
    const rita = await panel.account('rita')
    const token = await resellerToken(panel, rita.id, ['all'])
    failing(panel, 'account.create', 'The disk is full.')
    const { job_id } = (await panel.post('/accounts', { username: 'carol', domain: 'carol.example' }, { token })).body
    await panel.settle()
    const { items } = (await panel.get('/notices', { token })).body
    expect(items).toMatchObject([{ kind: 'job-failed', object_id: job_id, name: 'account.create' }])
    expect(items[0]).not.toHaveProperty('account_id')
    const body = { kind: 'job-failed', object_id: job_id }
    expect((await panel.post('/notices/dismiss', body, { token })).status).toBe(204)
    expect(await noticesOf(panel)).toEqual([])
  })

  test('hides notices of others', async () => {
    const { panel, alice } = await withAlice()
    failing(panel, 'dns.zone.update', 'The disk is full.')
    const job = await failToChange(panel, alice.id, 'one')
    const rita = await panel.account('rita')
    const reseller = await resellerToken(panel, rita.id, ['all'])
    expect((await panel.get('/notices', { token: reseller })).body.items).toEqual([])
    expect((await panel.get(`/accounts/${alice.id}/notices`, { token: reseller })).code).toBe('not-found')
    const bob = await panel.account('bob')
    const body = { kind: 'job-failed', object_id: job }
    expect(problem(await panel.post(`/accounts/${bob.id}/notices/dismiss`, body))).toEqual([404, 'not-found'])
    expect(await noticesOf(panel)).toHaveLength(1)
  })

  test('filters and limits notices, errors first', async () => {
    const { panel, alice, path, inodes } = await withAlice()
    const used = await inodes()
    failing(panel, 'dns.zone.update', 'The disk is full.')
    await failToChange(panel, alice.id, 'one')
    await panel.clock.advance(60_000)
    await panel.patch(path, { inodes_limit: used + 1 })
    await panel.settle()
    const ask = async (query: string) => (await panel.get(`/notices?${query}`)).body
    expect(kinds((await ask('')).items)).toEqual(['job-failed dns.zone.update', 'inodes-nearly-used alice'])
    expect(kinds((await ask('severity=warn')).items)).toEqual(['inodes-nearly-used alice'])
    expect(kinds((await ask('kind=job-failed')).items)).toEqual(['job-failed dns.zone.update'])
    expect(await ask('limit=1')).toMatchObject({ items: [{ kind: 'job-failed' }], more: true })
    for (const field of ['kind', 'severity', 'limit', 'account_id'])
      expect(problem(await panel.get(`/notices?${field}=%27+OR+1%3D1`)), field).toEqual([400, 'validation', field])
  })

  test.each([
    [{}, ['kind', 'object_id']],
    [{ kind: 'toaster', object_id: unknown }, ['kind']],
    [{ kind: 'job-failed', object_id: "' OR 1=1 --" }, ['object_id']],
    [{ kind: 'job-failed', object_id: unknown, account_id: unknown }, ['account_id']],
  ])('refuses to dismiss notices with %j', async (body, fields) => {
    const { panel, path } = await withAlice()
    for (const at of ['', path])
      expect(problem(await panel.post(`${at}/notices/dismiss`, body))).toEqual([400, 'validation', ...fields])
  })
})
