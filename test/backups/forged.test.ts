import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { AgentClient } from '../../src/host/agent/client/client.ts'
import type { FilesFromAfar } from '../../src/host/contract/client.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { second } from '../nodes/second.ts'

const public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM3Dm3QGyBMpT0Xr4xXyWw5Tcm2b0hXq9Xo3mB0o9nJd'
const refusal = 'The backup is damaged: its settings are not those that the panel saved.'

/** An account on a node, with settings in a backup, and another account elsewhere. */
async function withBackup() {
  const panel = await startPanel()
  const { host } = await second(panel, { name: 'web2' })
  const bob = await panel.account('bob', { node: 'web2', shell: '/bin/bash' })
  const alice = await panel.account('alice', { node: 'local', shell: '/bin/bash' })
  const base = `/accounts/${bob.id}`
  const [domain] = (await panel.get(`${base}/domains`)).body.items
  const post = async (path: string, body: object) =>
    expect((await panel.post(`${base}${path}`, body)).status).toBeLessThan(300)
  await post('/cron/jobs', { schedule: '@daily', command: 'true' })
  await post('/ssh/keys', { name: 'laptop', public_key })
  await post(`/domains/${domain.id}/redirects`, { path: '/a', target: 'https://a.example/' })
  await post('/apps', { name: 'shop', kind: 'node', start: 'node .' })
  await panel.settle()
  const { backup } = (await panel.post(`${base}/backups`, { parts: ['config'] })).body
  await panel.settle()
  panel.forget()
  return { panel, host, bob, alice, base, backup }
}

/** The node changes what the panel wrote into the backup. */
function forge(host: AgentClient, change: (account: Json) => void): void {
  const honest = host.readBackup.bind(host)
  vi.spyOn(host, 'readBackup').mockImplementation(async (input, options) => {
    const { texts, ...rest } = await honest(input, options)
    const forged = texts.map(({ name, text }) => {
      const content = JSON.parse(text)
      change(content)
      return { name, text: JSON.stringify(content) }
    })
    return { ...rest, texts: forged }
  })
}

const restored = async (panel: TestPanel, base: string, { id }: Json) => {
  const { body } = await panel.post(`${base}/backups/${id}/restore`, { safety: false })
  await panel.settle()
  return (await panel.get(`/jobs/${body.job_id}`)).body.job
}

const commandsOf = async (panel: TestPanel, { id }: Json) =>
  (await panel.get(`/accounts/${id}/cron/jobs`)).body.items.map(({ command }: Json) => command)

test('settings that the node of a backup has changed are not restored', async () => {
  const { panel, host, bob, base, backup } = await withBackup()
  forge(host, ({ areas }) => areas.cron.jobs.push({ ...areas.cron.jobs[0], command: 'forged' }))
  const job = await restored(panel, base, backup)
  expect([job.status, job.error]).toEqual(['failed', `The part config was not restored: ${refusal}`])
  expect(await commandsOf(panel, bob)).toEqual(['true'])
  const target = { username: 'carol', domain: 'carol.example' }
  const refused = await panel.post(`/backups/${backup.id}/restore`, target)
  expect([refused.code, refused.body.detail]).toEqual(['incomplete', refusal])
  vi.restoreAllMocks()
  expect((await restored(panel, base, backup)).status).toBe('succeeded')
  expect((await panel.post(`/backups/${backup.id}/restore`, target)).status).toBe(202)
})

test('nothing in a backup of an earlier version of the panel chooses an account, a domain or an app', async () => {
  const { panel, host, bob, alice, base, backup } = await withBackup()
  await panel.store.change(
    () => void panel.store.sqlite.prepare('UPDATE backups SET texts_sha256 = NULL WHERE id = ?').run(backup.id),
  )
  const [domain] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
  const others = { id: panel.panel.runtime.id(), account_id: alice.id, domain_id: domain.id }
  forge(host, ({ areas }) => {
    areas.cron.jobs = [
      { ...areas.cron.jobs[0], account_id: alice.id },
      { ...areas.cron.jobs[0], ...others, command: 'forged' },
    ]
    areas.ssh.keys = [{ ...areas.ssh.keys[0], ...others, blob: `${areas.ssh.keys[0].blob.slice(0, -1)}A` }]
    for (const one of areas.domains.domains) for (const redirect of one.redirects) Object.assign(redirect, others)
    for (const app of areas.apps.apps) Object.assign(app.settings, { account_id: alice.id })
  })
  expect((await restored(panel, base, backup)).status).toBe('succeeded')
  expect([await commandsOf(panel, bob), await commandsOf(panel, alice)]).toEqual([['true', 'forged'], []])
  const lists = ['ssh/keys', 'apps', `domains/${domain.id}/redirects`]
  for (const list of lists) expect((await panel.get(`/accounts/${alice.id}/${list}`)).body.items).toEqual([])
  expect((await panel.get(`${base}/ssh/keys`)).body.items).toHaveLength(2)
  expect((await panel.get(`${base}/apps`)).body.items).toHaveLength(1)
})

test('a node that sends more of a settings file than it was asked for is not read', async () => {
  const { panel, host, base } = await withBackup()
  const { backup } = (await panel.post(`${base}/backups`, { parts: ['config', 'files'] })).body
  await panel.settle()
  const files = host.files.bind(host)
  const read = { calls: 0, bytes: 0 }
  const endless = () =>
    Readable.from(
      (async function* () {
        for (; read.bytes < 100 * 2 ** 20; read.bytes += 2 ** 20) yield Buffer.alloc(2 ** 20)
      })(),
    )
  vi.spyOn(host, 'files').mockImplementation((account) =>
    Object.assign(Object.create(files(account)), {
      act: (...words: Parameters<FilesFromAfar['act']>) => files(account).act(...words),
      read: async () => {
        read.calls++
        return { answer: { length: 2 ** 40 }, stream: endless() }
      },
    }),
  )
  const target = { username: 'carol', domain: 'carol.example', node: 'web2' }
  const { job_id } = (await panel.post(`/backups/${backup.id}/restore`, target)).body
  await panel.settle()
  const jobs = (await panel.get('/jobs?kind=backup.restore')).body.items
  expect([typeof job_id, jobs[0].status, read.calls]).toEqual(['string', 'succeeded', 1])
  expect(read.bytes).toBeLessThanOrEqual(2 ** 20)
})
