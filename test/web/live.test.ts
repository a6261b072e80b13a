import { describe, expect, test } from 'vitest'
import { appsIn } from '../apps/fixtures.ts'
import { turns } from '../clock.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { origin, password, textOf, Visitor } from './visitor.ts'

/** Moves time on until a stream has ended. */
async function ended<T>(panel: TestPanel, streams: Promise<T>): Promise<T> {
  let over = false
  const done = streams.finally(() => {
    over = true
  })
  while (!over) await panel.clock.advance(1_000)
  return done
}

test('a page shows the progress of its job, as it changes, until it has ended', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  const form = await visitor.get('/user/cron/new')
  const made = await visitor.submit(form, 'createCronJob', { schedule: '@daily', command: 'true' })
  const page = await visitor.follow(made)
  const [, address = ''] = /data-live="([^"]+)"/.exec(page.body) ?? []
  expect(address).toMatch(/^\/user\/live\/cron\//)
  const follow = () => visitor.get(address.replaceAll('&amp;', '&'), { 'Sec-Fetch-Site': 'same-origin' })
  const early = Promise.all([follow(), follow(), follow()])
  await turns(20)
  expect((await follow()).status).toBe(503)
  await panel.settle()
  for (const { body } of await ended(panel, early))
    expect(body).toMatch(/notice turning.*event: part.*notice good.*event: end/s)
  const stream = await follow()
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const [, part = '', end] = stream.body.split('\n\n')
  expect(part).toMatch(/^event: part\ndata: <div class="notice good"/)
  expect(textOf(part)).toContain('Succeeded')
  expect(part).not.toContain('data-live')
  expect(end).toBe('event: end\ndata: ')
})

test('what a page shows can be fetched once its job has ended: it is no longer in progress', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  const form = await visitor.get('/user/mysql/new')
  const made = await visitor.submit(form, 'createDatabase', { name: 'alice_shop' })
  const early = await visitor.follow(made)
  expect(early.body).toContain('data-stale')
  expect(textOf(early.body.split('id="head"')[1]!)).toContain('Creating')
  await panel.settle()
  const path = made.headers.get('location')!
  const content = await visitor.get(path, { 'X-Part': 'content', 'Sec-Fetch-Site': 'same-origin' })
  expect(content.body).toMatch(
    /^<header class="head" id="head">.*<div class="stack" id="content">.*<\/div><span id="account-status">/s,
  )
  expect(textOf(content.body.split('id="account-status"')[1]!)).toContain('Active')
  expect([textOf(content.body).includes('Creating'), content.body.includes('<html')]).toEqual([false, false])
})

test('a page that its visitor may not see has no live updates', async () => {
  const panel = await startPanel()
  const stream = await new Visitor(panel).get('/user/live/cron')
  expect(stream.body).not.toContain('event: part\ndata: <')
  expect(stream.body).toContain('event: end')
})

describe('live updates of a session', { timeout: 60_000 }, () => {
  /** Alice, who has an app, and her session's cookies. */
  async function withApp() {
    const panel = await startPanel()
    const { id } = await panel.account('alice', { password })
    await appsIn(panel, id).app('shop', 'static')
    const visitor = new Visitor(panel)
    const reply = await visitor.post('/user/login', { username: 'alice', password })
    const cookies = reply.headers.getSetCookie().map((line) => line.split(';')[0])
    const { body } = await visitor.get('/user/apps/shop/log')
    const [, live, after] = /data-live="([^"]+)" data-after="([^"]+)"/.exec(body)!
    return { panel, visitor, cookies, address: `${live}?after=${after}` }
  }

  test("allows three streams, whatever other cookies are sent with the session's own", async () => {
    const { panel, visitor, cookies, address } = await withApp()
    const follow = (z: number) => visitor.get(address, { Cookie: [...cookies, `z=${z}`].join('; ') })
    const streams = Promise.all([follow(1), follow(2), follow(3)])
    await turns(20)
    expect((await follow(4)).status).toBe(503)
    await ended(panel, streams)
  })

  test('loses no stream to HEAD requests', async () => {
    const { panel, cookies, address } = await withApp()
    const requests = { headers: { Accept: 'text/html', Cookie: cookies.join('; ') } }
    for (let n = 0; n < 4; n++) {
      const reply = await panel.send('HEAD', `${origin}${address}`, requests)
      expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET'])
    }
  })

  test('links in live content without the position of the log', async () => {
    const { visitor, address } = await withApp()
    const page = address.replace('/live/', '/')
    const { body } = await visitor.get(page, { 'X-Part': 'head' })
    expect(body).toContain('href="/user/apps/shop/log?format=csv"')
    const full = await visitor.get(page.replace('?', '?q=a&'))
    expect(full.body).toContain('<a class="button" href="/user/apps/shop/log?q=a">Refresh</a>')
  })
})

test("a job's error cannot end a line of a stream, and is shown on its page", async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  const made = await visitor.submit(await visitor.get('/user/cron/new'), 'createCronJob', {
    schedule: '@daily',
    command: 'true',
  })
  await panel.settle()
  const path = made.headers.get('location')!
  const id = /job=(\w+)/.exec(path)![1]!
  const failed = panel.store.sqlite.prepare("UPDATE jobs SET status = 'failed', error = ? WHERE id = ?")
  const error = 'gone\nevent: end\r\u001b[2J\u202egpj.exe "><img src=x onerror=alert(1)>'
  const asText = 'event: end\\u{d}\\u{1b}[2J\\u{202e}gpj.exe &quot;&gt;&lt;img src=x onerror=alert(1)&gt;'
  await panel.store.change(() => void failed.run(error, id))
  const page = await visitor.get(`/user/jobs/${id}`)
  const stream = await visitor.get(`/user/live/jobs/${id}`)
  expect(page.body).toContain(`gone\n${asText}`)
  expect(stream.body).toContain(`gone\ndata: ${asText}`)
  expect(page.body + stream.body).not.toMatch(/[\r\u202e]/)
  expect((await visitor.follow(made)).body).toContain(`gone ${asText}`)
})

describe('log of a release', { timeout: 60_000 }, () => {
  /** A release that wrote lines, and its page. */
  async function deployed(build: string) {
    const panel = await startPanel({ trustTenants: true })
    const { id } = await panel.account('alice', { password })
    const { app, deploy } = appsIn(panel, id)
    const shop = await app('shop', 'static', { build })
    const { body } = await deploy(shop.id, { 'index.html': 'hello' })
    await panel.settle()
    const visitor = await new Visitor(panel).signIn('alice')
    const path = `/user/apps/shop/releases/${body.release.number}`
    return { panel, visitor, path, page: await visitor.get(path), stream: `/user/live${path.slice('/user'.length)}` }
  }
  const linesIn = (html: string): string[] =>
    [...html.matchAll(/<li id="L(\d+)".*?<span>(.*?)<\/span><\/li>/g)].map(([, number, text]) => `${number} ${text}`)

  test('numbers the log, and resumes after the last line received', async () => {
    const { visitor, page, stream } = await deployed('seq 1 5; printf "\\033[31mred\\033[0m \\342\\200\\256\\n"')
    const all = linesIn(page.body)
    expect(all).toEqual([
      '1 Unpacking the archive.',
      expect.stringMatching(/^2 \$ seq 1 5/),
      ...['3 1', '4 2', '5 3', '6 4', '7 5'],
      '8 \\u{1b}[31mred\\u{1b}[0m \\u{202e}',
      ...all.slice(8),
    ])
    const full = await visitor.get(`${stream}?after=0.0`)
    expect(linesIn(full.body)).toEqual(all)
    const [, id] = /^id: (\S+)$/m.exec(full.body) ?? []
    expect(id).toMatch(new RegExp(`^${all.length}\\.\\d+$`))
    expect(linesIn((await visitor.get(`${stream}?after=0.0`, { 'Last-Event-ID': id! })).body)).toEqual([])
    const third = Number(id!.split('.')[1]) - all.length + 3
    expect(linesIn((await visitor.get(`${stream}?after=3.${third}`)).body)).toEqual(all.slice(3))
  })

  test('shows at most 2,000 lines, the last ones, and downloads all', async () => {
    const { visitor, page, path, stream } = await deployed('seq 1 3000')
    const all = linesIn(page.body)
    expect([all.length, all[0]]).toEqual([2000, expect.stringMatching(/^1\d\d\d \d+$/)])
    expect(linesIn((await visitor.get(`${stream}?after=0.0`)).body)).toEqual(all)
    const file = await visitor.get(`${path}?format=log`)
    expect(file.headers.get('content-disposition')).toBe(
      `attachment; filename="shop-1.log"; filename*=UTF-8''shop-1.log`,
    )
    expect(file.body.trimEnd().split('\n').length).toBeGreaterThan(3000)
  })
})

describe('shares of streams', { timeout: 60_000 }, () => {
  test('a reseller with all its customers has one share, and others keep theirs', async () => {
    const panel = await startPanel()
    const { id: rita } = await panel.account('rita', { password })
    const token = await resellerToken(panel, rita, ['create-acct', 'create-user-session'])
    const customer = async (username: string, send: object = { token }) => {
      const made = await panel.post('/accounts', { username, domain: `${username}.example`, password }, send)
      await panel.settle()
      await appsIn(panel, made.body.account.id).app('shop', 'static')
    }
    for (const username of ['one', 'two', 'six']) await customer(username)
    await customer('alice', {})
    const streams: Promise<unknown>[] = []
    /** Opens a session's streams; returns the status of those that ended at once. */
    const open = async (username: string): Promise<number | undefined> => {
      const visitor = await new Visitor(panel).signIn(username)
      let status: number | undefined
      const page = await visitor.get('/user/apps/shop/log')
      const [, address, after] = /data-live="([^"]+)" data-after="([^"]+)"/.exec(page.body)!
      const requests = [1, 2, 3].map(async () => {
        status = (await visitor.get(`${address}?after=${after}`)).status
      })
      streams.push(...requests)
      await turns(200)
      return status
    }
    for (const username of ['one', 'two'])
      for (let session = 0; session < 4; session++) expect(await open(username)).toBeUndefined()
    expect(await open('one')).toBe(503)
    expect(await open('six')).toBe(503)
    expect(await open('alice')).toBeUndefined()
    await ended(panel, Promise.all(streams))
    expect(await open('six')).toBeUndefined()
    await ended(panel, Promise.all(streams))
  })
})

describe('end of a stream', { timeout: 60_000 }, () => {
  const rights = ['list-accts', 'create-user-session'] as const
  const reseller = ({ panel, rita }: LiveOptions, acl: readonly string[]) =>
    panel.put(`/resellers/${rita}/acl`, { acl })

  test.each<[what: string, end: (input: LiveOptions) => Promise<unknown>, status: number, says: string]>([
    ['a privilege is taken away', (input) => reseller(input, ['list-accts']), 403, 'create-user-session'],
    [
      'its reseller is suspended',
      ({ panel, rita }) => panel.post(`/resellers/${rita}/suspend`, {}),
      403,
      'The account is suspended.',
    ],
    ['the account is gone', ({ panel, alice }) => panel.delete(`/accounts/${alice}?confirm=alice`), 404, 'account'],
  ])('ends a stream when %s, and says why on the page', async (_what, end, status, says) => {
    const input = await followed()
    const { panel, visitor, path, stream } = input
    await panel.clock.advance(3_000)
    expect(input.over()).toBe(false)
    await end(input)
    await panel.settle()
    expect((await ended(panel, stream)).body).toMatch(/event: end\ndata: \n\n$/)
    const page = await visitor.get(path)
    expect([page.status, textOf(page.body)]).toEqual([status, expect.stringContaining(says)])
  })

  interface LiveOptions {
    readonly panel: TestPanel
    readonly rita: string
    readonly alice: string
  }

  /** The reseller rita follows the log of her customer alice's app. */
  async function followed() {
    const panel = await startPanel()
    const { id: rita } = await panel.account('rita', { password })
    const token = await resellerToken(panel, rita, ['create-acct', ...rights])
    const made = await panel.post('/accounts', { username: 'alice', domain: 'alice.example' }, { token })
    await panel.settle()
    const alice = made.body.account.id as string
    await appsIn(panel, alice).app('shop', 'static')
    const visitor = await new Visitor(panel).signIn('rita', 'admin')
    const path = '/admin/accounts/alice/apps/shop/log'
    const [, address, after] = /data-live="([^"]+)" data-after="([^"]+)"/.exec((await visitor.get(path)).body)!
    expect(address).toBe(`/admin/live${path.slice('/admin'.length)}`)
    let ended = false
    const stream = visitor.get(`${address}?after=${after}`).finally(() => {
      ended = true
    })
    return { panel, rita: rita as string, alice, visitor, path, stream, over: () => ended }
  }
})
