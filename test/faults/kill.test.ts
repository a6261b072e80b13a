import { describe, expect, test } from 'vitest'
import { newDirectory, type Served, start } from './process.ts'

const alice = { username: 'alice', domain: 'alice.example' }

async function full(server: Served) {
  const [accounts, jobs, events, audit] = await Promise.all(
    ['/accounts', '/jobs', '/events', '/audit'].map((path) => server.ask('GET', path)),
  )
  return {
    accounts: accounts!.body.items.map((one: { username: string; status: string }) => `${one.username} ${one.status}`),
    jobs: jobs!.body.items.map((one: { kind: string; status: string }) => `${one.kind} ${one.status}`),
    events: events!.body.items.map((one: { type: string }) => one.type),
    // Each start prints a link for root until it has a password.
    audit: audit!.body.items
      .map((one: { operation: string }) => one.operation)
      .filter((operation: string) => operation !== 'createRootSso'),
  }
}

const nothing = { accounts: [], jobs: [], events: [], audit: [] }
const everything = {
  accounts: ['alice active'],
  jobs: ['account.create succeeded'],
  events: ['account.created', 'job.completed'],
  audit: ['createAccount'],
}

const settled = (server: Served) =>
  server.until('/jobs?status=succeeded', ({ body }) => body.total === 1).then(() => full(server))

describe('kill -9', () => {
  test('stores nothing of a change killed before the commit, which nobody saw acknowledged', async () => {
    const dir = newDirectory()
    const server = await start(dir)
    await server.arm({ point: 'before-commit', after: 0 })
    expect(await server.ask('POST', '/accounts', alice)).toBeUndefined()
    expect(await server.ended).toBe('SIGKILL')
    const next = await start(dir)
    expect(await full(next)).toEqual(nothing)
    expect((await next.ask('POST', '/accounts', alice))?.status).toBe(202)
    expect(await settled(next)).toEqual(everything)
  })
  test('stores all of a change, once, when killed after the commit and before the response', async () => {
    const dir = newDirectory()
    const server = await start(dir)
    await server.arm({ point: 'after-commit', after: 0 })
    expect(await server.ask('POST', '/accounts', alice)).toBeUndefined()
    expect(await server.ended).toBe('SIGKILL')
    const next = await start(dir)
    expect(await settled(next)).toEqual(everything)
    expect((await next.ask('POST', '/accounts', alice))?.code).toBe('validation')
  })
  test.each([
    ['as files take their places', 'rename', 3],
    ['when all is done but the end of the job', 'close', 1],
  ])('repeats and completes a job that was killed: %s', async (_, point, after) => {
    const dir = newDirectory()
    const server = await start(dir)
    await server.arm({ point, after })
    expect((await server.ask('POST', '/accounts', alice))?.status).toBe(202)
    expect(await server.ended).toBe('SIGKILL')
    const next = await start(dir)
    expect(await settled(next)).toEqual(everything)
    const [job] = (await next.ask('GET', '/jobs'))!.body.items
    const { log } = (await next.ask('GET', `/jobs/${job.id}`))!.body
    expect(log.map((line: { message: string }) => line.message)).toContain(
      'The server lost track of this job while it ran; it runs again.',
    )
  })
  test.each([
    ['as files take their places', 'rename', 3],
    ['when all is done but its answer', 'close', 1],
  ])('continues the job with another agent after one is killed, and says so: %s', async (_, point, after) => {
    const server = await start(newDirectory())
    await server.arm({ point, after, victim: 'agent' })
    expect((await server.ask('POST', '/accounts', alice))?.status).toBe(202)
    expect(await settled(server)).toEqual(everything)
    const [job] = (await server.ask('GET', '/jobs'))!.body.items
    const { log } = (await server.ask('GET', `/jobs/${job.id}`))!.body
    expect(log.map((line: { message: string }) => line.message)).toEqual([
      'The host agent was stopped by SIGKILL. It is started again.',
      'alice: files are in place',
      expect.stringMatching(/^alice: \d+ files? changed on the host$/),
    ])
    expect(job.attempts).toBe(1)
  })
  test('stores what was acknowledged of many creates when killed, and leaves nothing incomplete', async () => {
    const dir = newDirectory()
    const server = await start(dir)
    await server.arm({ point: 'before-commit', after: 12 })
    const names = Array.from({ length: 60 }, (_, place) => `user${place}`)
    const requests = names.map(async (username) => {
      const answer = await server.ask('POST', '/accounts', { username, domain: `${username}.example` })
      return answer?.status === 202 ? username : undefined
    })
    const acknowledged = (await Promise.all(requests)).filter((name) => name !== undefined)
    expect(await server.ended).toBe('SIGKILL')
    const next = await start(dir)
    const unfinished = async () => (await next.ask('GET', '/jobs?status=succeeded'))!.body.total
    const { total, items } = (await next.ask('GET', '/accounts?per_page=500'))!.body
    const stored = items.map((one: { username: string }) => one.username)
    expect(stored).toEqual(expect.arrayContaining(acknowledged))
    await next.until('/jobs?status=succeeded', ({ body }) => body.total === total)
    expect(await unfinished()).toBe(total)
    const { events, audit } = await full(next)
    expect(events.filter((type: string) => type === 'account.created')).toHaveLength(total)
    // A page of 50, of which one is the link of the last start.
    expect(audit.length).toBeGreaterThanOrEqual(Math.min(total, 49))
  })
})
