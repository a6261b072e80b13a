import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startAgent } from '../host/agent/service-process.ts'
import { place, type ServerProcess, startServer } from './server.ts'

const alice = { username: 'alice', domain: 'alice.example' }

/** A data directory set up for this machine, as far as its agent's directory is concerned. */
function setUp(): { dir: string; socket: string; root: string } {
  const dir = place()
  writeFileSync(join(dir, 'driver'), 'debian\n')
  return { dir, socket: join(dir, 'host.sock'), root: join(dir, 'machine') }
}

const statusOf = async (server: ServerProcess) => (await server.send('GET', '/host')).body

const becomes = (server: ServerProcess, status: string) =>
  expect.poll(async () => (await statusOf(server)).agent.status).toBe(status)

const logOf = async (server: ServerProcess, job: string): Promise<string[]> =>
  (await server.send('GET', `/jobs/${job}`)).body.log.map(({ message }: { message: string }) => message)

const logged = (server: ServerProcess, job: string, line: RegExp) =>
  expect.poll(async () => (await logOf(server, job)).some((one) => line.test(one))).toBe(true)

test('lets jobs wait while an agent run as a service is gone, and notices its loss at once', {
  timeout: 60_000,
}, async () => {
  const { dir, socket, root } = setUp()
  const server = await startServer(dir, { agentSocket: socket })
  await becomes(server, 'unreachable')
  const reason = `The host agent is not running: nothing answers on ${socket}.`
  const unreachable = { status: 'unreachable', reason }
  const counts = { accounts: 0, suspended: 0 }
  const { names, certificate, ...status } = await statusOf(server)
  expect(status).toEqual({ driver: 'debian', agent: unreachable, trust_tenants: false, counts })
  expect(names.map(({ use }: { use: string }) => use)).toEqual(['panel', 'webmail', 'phpmyadmin'])
  expect(certificate).toMatchObject({ kind: 'self_signed' })
  const { job_id } = (await server.send('POST', '/accounts', alice)).body
  await logged(server, job_id, /waits for the host agent/)
  expect((await server.send('POST', '/packages', { name: 'small' })).status).toBe(201)

  const agent = await startAgent(root, socket)
  await logged(server, job_id, /files changed/)
  expect(await logOf(server, job_id)).toEqual([
    `${reason} The job waits for the host agent.`,
    'The host agent is back.',
    'alice: files are in place',
    expect.stringMatching(/files? changed on the host$/),
  ])
  expect(await statusOf(server)).toMatchObject({
    driver: 'debian',
    agent: { status: 'running' },
    trust_tenants: false,
    counts: { accounts: 1, suspended: 0 },
  })

  await agent.kill()
  await becomes(server, 'unreachable')
  await startAgent(root, socket)
  await becomes(server, 'running')
})

test('a server that is killed is replaced by another, which uses the same agent', async () => {
  const { dir, socket, root } = setUp()
  await startAgent(root, socket)
  const server = await startServer(dir, { agentSocket: socket })
  await server.send('POST', '/accounts', alice)
  await server.kill('SIGKILL')
  const next = await startServer(dir, { agentSocket: socket })
  await expect
    .poll(async () => (await next.send('GET', '/jobs?kind=account.create&status=succeeded')).body.total, {
      timeout: 20_000,
    })
    .toBe(1)
  const [account] = (await next.send('GET', '/accounts')).body.items
  expect(account).toMatchObject({ username: 'alice', status: 'active' })
  const files = await next.send('GET', `/accounts/${account.id}/files?path=sites/alice.example`)
  expect(files.body.items).toMatchObject([{ path: 'sites/alice.example/public', type: 'directory' }])
})

test('a data directory that names no driver is refused', async () => {
  const dir = place()
  writeFileSync(join(dir, 'driver'), 'plesk\n')
  await expect(startServer(dir)).rejects.toThrow(`${dir}/driver names no driver: write debian or directory to it.`)
})
