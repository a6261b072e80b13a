import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtAgent } from '../built.ts'
import { place, type ServerProcess, startServer } from './server.ts'

const alice = { username: 'alice', domain: 'alice.example' }

/** Polls until the job's log has a matching line. */
async function logged(server: ServerProcess, job: string, line: RegExp): Promise<string[]> {
  for (;;) {
    const { log } = (await server.send('GET', `/jobs/${job}`)).body
    const messages = log.map(({ message }: { message: string }) => message)
    if (messages.some((message: string) => line.test(message))) return messages
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('an agent that cannot start: jobs wait and say so, the API serves on, and jobs resume with it', async () => {
  const dir = place()
  const [real] = await builtAgent()
  const agent = join(dir, 'agent.cjs')
  const server = await startServer(dir, { agent: [agent] })
  expect((await server.send('GET', '/host')).body).toMatchObject({
    driver: 'directory',
    agent: { status: 'idle' },
    trust_tenants: false,
    counts: { accounts: 0, suspended: 0 },
  })
  const { account, job_id } = (await server.send('POST', '/accounts', alice)).body
  const output = await logged(server, job_id, /waits for the host agent/)
  const reason = `The host agent exited: Error: Cannot find module '${agent}'.`
  expect(output).toEqual([`${reason} The job waits for the host agent.`])
  expect((await server.send('GET', '/host')).body).toMatchObject({
    driver: 'directory',
    agent: { status: 'unreachable', reason },
    trust_tenants: false,
    counts: { accounts: 0, suspended: 0 },
  })
  expect((await server.send('POST', '/packages', { name: 'small' })).status).toBe(201)
  expect((await server.send('GET', `/accounts/${account.id}`)).body.status).toBe('provisioning')
  expect((await server.send('GET', `/jobs/${job_id}`)).body.job).toMatchObject({ status: 'running', attempts: 1 })
  writeFileSync(agent, `require(${JSON.stringify(real)})`)
  expect(await logged(server, job_id, /files changed/)).toEqual([
    `${reason} The job waits for the host agent.`,
    'The host agent is back.',
    'alice: files are in place',
    expect.stringMatching(/files? changed on the host$/),
  ])
  expect((await server.send('GET', '/host')).body).toMatchObject({
    driver: 'directory',
    agent: { status: 'running' },
    trust_tenants: false,
    counts: { accounts: 1, suspended: 0 },
  })
})

test('a server that stops while jobs wait for the agent requeues them, and the next start completes them', async () => {
  const dir = place()
  const server = await startServer(dir, { agent: [join(dir, 'agent.cjs')] })
  const { account, job_id } = (await server.send('POST', '/accounts', alice)).body
  await logged(server, job_id, /waits for the host agent/)
  expect(await server.kill('SIGTERM')).toBe(0)
  const next = await startServer(dir)
  await logged(next, job_id, /files changed/)
  expect((await next.send('GET', `/accounts/${account.id}`)).body.username).toBe('alice')
  expect((await next.send('GET', `/jobs/${job_id}`)).body.job.attempts).toBe(1)
})
