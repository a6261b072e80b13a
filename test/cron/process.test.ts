import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { place, type ServerProcess, startServer } from '../serve/server.ts'
import { eventually, processesWith } from './fixtures.ts'

const trusting = { trustTenants: true }

/** A server with alice and a running cron job of hers. */
async function running(dir: string, command: string) {
  const server = await startServer(dir, trusting)
  const { account, job_id } = (await server.send('POST', '/accounts', { username: 'alice', domain: 'alice.example' }))
    .body
  await eventually(() => statusOf(server, job_id)).toBe('succeeded')
  const path = `/accounts/${account.id}/cron/jobs`
  const made = await server.send('POST', path, { schedule: '@yearly', command: `${command}; sleep 7541` })
  const { id } = made.body.cron_job
  await eventually(() => statusOf(server, made.body.job_id)).toBe('succeeded')
  const run = await server.send('POST', `${path}/${id}/run`)
  await eventually(() => existsSync(join(dir, 'host/home/alice/begun'))).toBe(true)
  return { server, path: `${path}/${id}`, run: run.body }
}

const statusOf = async (server: ServerProcess, job: string) =>
  (await server.send('GET', `/jobs/${job}`)).body.job.status
/** Agents working below a directory, each with its working directory. */
const agents = (dir: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === join(dir, 'host/run/panel')
      } catch {
        return false
      }
    })

describe('running cron job', { timeout: 60_000 }, () => {
  test('ends when the server is killed, and is not repeated', async () => {
    const dir = place()
    const { server, path, run } = await running(dir, 'touch begun; setsid sleep 7541 & true')
    await server.kill('SIGKILL')
    await eventually(() => processesWith('sleep\x007541')).toEqual([])
    const next = await startServer(dir, trusting)
    expect((await next.send('GET', `${path}/runs`)).body.items).toMatchObject([{ outcome: 'interrupted' }])
    await eventually(() => statusOf(next, run.job_id)).toBe('failed')
    expect(processesWith('sleep\x007541')).toEqual([])
  })

  test('ends when the agent is killed; the next agent starts at once, since something may be due', async () => {
    const dir = place()
    const { server, path } = await running(dir, 'touch begun; setsid sleep 7541 & true')
    const [agent] = agents(dir)
    process.kill(Number(agent), 'SIGKILL')
    const outcome = async () => (await server.send('GET', `${path}/runs`)).body.items[0].outcome
    await eventually(outcome).toBe('interrupted')
    await eventually(() => agents(dir)).toHaveLength(1)
    expect(agents(dir)).not.toContain(agent)
    await eventually(() => processesWith('sleep\x007541')).toEqual([])
  })
})

test('the server starts the agent only if it has something to run', { timeout: 60_000 }, async () => {
  const dir = place()
  const { server } = await running(dir, 'touch begun')
  await server.kill('SIGTERM')
  expect(agents(dir)).toEqual([])
  const next = await startServer(dir, trusting)
  await eventually(() => agents(dir)).toHaveLength(1)
  await next.kill('SIGTERM')
  const other = await startServer(dir)
  expect((await other.send('GET', '/host')).body).toMatchObject({ agent: { status: 'idle' }, trust_tenants: false })
})
