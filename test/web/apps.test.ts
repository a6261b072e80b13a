import { describe, expect, test } from 'vitest'
import { appsIn, archive, program } from '../apps/fixtures.ts'
import { occurred } from '../domains/fixtures.ts'
import { startPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

const node = { start: 'node app.js' }

/** The account alice, with her apps in a browser without scripts. */
async function withVisitor() {
  const panel = await startPanel({ trustTenants: true })
  const { id } = await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  return { panel, account: id as string, path: `/accounts/${id}/apps`, visitor, ...appsIn(panel, id) }
}

describe('pages of apps without a script', { timeout: 60_000 }, () => {
  test('an app is stopped, started and restarted, and shows its address and environment', async () => {
    const { panel, account, path, visitor, app, live } = await withVisitor()
    const { id } = await app('shop', 'node', node)
    expect(textOf((await visitor.get('/user/apps/shop')).body)).toContain('Nothing is deployed yet.')
    await live(id, 'v1')
    const [domain] = (await panel.get(`/accounts/${account}/domains`)).body.items
    await panel.patch(`/accounts/${account}/domains/${domain.id}`, { handler: 'app', app_id: id })
    await panel.patch(`${path}/${id}/env`, { set: [{ name: 'KEY', value: 'canary of a secret', secret: true }] })
    await occurred(panel)
    const running = await visitor.get('/user/apps/shop')
    expect(running.body).toContain('<a href="https://alice.example/" rel="noreferrer noopener">')
    expect(textOf(running.body)).toMatch(/KEY set now/)
    expect(running.body).not.toContain('canary')
    expect(running.body).not.toContain('value="startApp"')

    const stopped = await visitor.follow(await visitor.submit(running, 'stopApp'))
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['app.apply succeeded'] })
    expect(textOf(stopped.body)).toContain('The app stops.')
    const off = await visitor.get('/user/apps/shop')
    expect(off.body).toContain('Stopped')
    expect(off.body).not.toContain('value="restartApp"')
    await visitor.follow(await visitor.submit(off, 'startApp'))
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['app.apply succeeded'] })
    await visitor.follow(await visitor.submit(await visitor.get('/user/apps/shop'), 'restartApp'))
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['app.restart succeeded'] })
  })

  test('an app is rolled back to a release that was kept', async () => {
    const { panel, visitor, app, live, show } = await withVisitor()
    const { id } = await app('shop', 'node', node)
    const first = await live(id, 'v1')
    await live(id, 'v2')
    const page = await visitor.get('/user/apps/shop')
    const back = await visitor.submit(page, 'rollbackApp')
    expect(back.headers.get('location')).toMatch(/^\/user\/apps\/shop\?done=rollbackApp&job=/)
    const leads = await visitor.follow(back)
    expect(textOf(leads.body)).toContain('The app goes back.')
    expect(textOf(leads.body)).toMatch(/2 archive ● Live .*1 archive ◌ Checking|1 archive ○ Kept/)
    expect(await occurred(panel)).toEqual({
      events: ['app.rolled_back', 'job.completed'],
      jobs: ['app.rollback succeeded'],
    })
    expect((await show(id)).current_release_id).toBe(first.id)
    const done = textOf((await visitor.get('/user/apps/shop/releases/1')).body)
    expect(done).toContain('This release is live, and no domain shows it yet.')
    expect(done).toMatch(/Fetch 0 s Done Check 0 s Done Switch 0 s Done Finish 0 s Done/)
  })

  test('a deploy is cancelled on its own page, and no other job there', async () => {
    const { panel, visitor, app, deploy, releases } = await withVisitor()
    const { id } = await app('shop', 'node', { ...node, build: 'sleep 60' })
    const { body } = await deploy(id, { 'app.js': program('v1') })
    const bob = await panel.post('/accounts', { username: 'bob', domain: 'bob.example' })
    const page = await visitor.get(`/user/apps/shop/releases/${body.release.id}`)
    expect(textOf(page.body)).toContain('Nothing is served until it passes its check.')
    const foreign = await visitor.submit(page, 'cancelJobForAccount', { _item: bob.body.job_id })
    expect(foreign.status).toBe(404)
    const cancelled = await visitor.follow(await visitor.submit(page, 'cancelJobForAccount'))
    expect(textOf(cancelled.body)).toContain('The deployment is being cancelled.')
    await panel.settle()
    expect(await releases(id)).toMatchObject([{ number: 1, status: 'cancelled' }])
    expect((await visitor.get('/user/apps/shop/releases/1')).body).not.toContain('cancelJobForAccount')
    expect((await visitor.get('/user/apps/shop/releases/2')).status).toBe(404)
  })

  test('a failed first deploy is named by its app, and is not new', async () => {
    const { panel, account, visitor, app, deploy } = await withVisitor()
    const { id } = await app('shop', 'node', { start: 'node nope.js' })
    const { body } = await deploy(id, { 'app.js': program('v1') })
    await occurred(panel)
    const says = 'the file nope.js is missing: is it in the source'
    const list = textOf((await visitor.get('/user/apps')).body)
    expect(list).toMatch(/shop Node ■ Failed/)
    const page = textOf((await visitor.get('/user/apps/shop')).body)
    expect(page).toContain(says)
    const job = textOf((await visitor.get(`/user/jobs/${body.job_id}`)).body)
    expect([job.includes('Deploy a release of an app shop'), job.includes(says)]).toEqual([true, true])
    expect(textOf((await visitor.get('/user/jobs')).body)).toContain('Deploy a release of an app shop')
    const [notice] = (await panel.get(`/accounts/${account}/notices`)).body.items
    expect(notice.detail).toMatch(/^App shop: /)
    expect(notice.detail).not.toContain('/releases/')
  })

  test('a failed deploy says why, and at which step', async () => {
    const { panel, visitor, app, deploy } = await withVisitor()
    const { id } = await app('shop', 'static', { build: 'echo trying; exit 3' })
    await deploy(id, { 'index.html': 'hello' })
    await panel.settle()
    const page = await visitor.get('/user/apps/shop/releases/1')
    expect(textOf(page.body)).toContain('The command exited with code 3: echo trying; exit 3')
    expect(page.body).toMatch(/<li class="bad"[^>]*><b>Build<\/b>/)
    expect(page.body).not.toContain('data-live')
  })

  test('refused deploys leave no upload behind, however many they are', async () => {
    const { panel, account, visitor, app, deploy } = await withVisitor()
    const { id } = await app('shop', 'node', { ...node, build: 'sleep 60' })
    const { body } = await deploy(id, { 'app.js': program('v1') })
    const page = await visitor.get('/user/apps/shop')
    const file = { name: 'shop.tar.gz', bytes: archive({ 'app.js': program('v2') }) }
    const statuses = new Set<number>()
    for (let at = 0; at < 11; at++) statuses.add((await visitor.upload(page, 'deployApp', {}, file)).status)
    expect([...statuses]).toEqual([409])
    // That of the running deploy.
    expect((await panel.get(`/accounts/${account}/uploads`)).body.items).toHaveLength(1)
    await visitor.submit(await visitor.get(`/user/apps/shop/releases/${body.release.id}`), 'cancelJobForAccount')
    await panel.settle()
    const sent = await visitor.upload(await visitor.get('/user/apps/shop'), 'deployApp', {}, file)
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/user\/apps\/shop\/releases\/2\?done=deployApp&job=/),
    ])
    const leads = textOf((await visitor.follow(sent)).body)
    expect([leads.includes('The deployment was started.'), leads.includes('panel apps deploy')]).toEqual([true, false])
    await visitor.submit(await visitor.get('/user/apps/shop/releases/2'), 'cancelJobForAccount')
    await panel.settle()
  })

  test('a deploy without its archive stays on the page of the app, and says what is missing', async () => {
    const { panel, visitor, app } = await withVisitor()
    await app('shop', 'node', node)
    const page = await visitor.get('/user/apps/shop')
    panel.forget()
    const refused = await visitor.upload(page, 'deployApp', {}, { name: '', bytes: Buffer.from('') })
    expect([refused.status, textOf(refused.body)]).toEqual([400, expect.stringContaining('file: choose a file')])
    expect(refused.body).toContain('name="do" value="deployApp"')
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test('an archive is not received if its deploy is not allowed', async () => {
    const { panel, account, visitor, app } = await withVisitor()
    await app('shop', 'node', node)
    const page = await visitor.get('/user/apps/shop')
    const list = (await panel.post('/feature-lists', { name: 'none', features: { apps: false } })).body
    const { package_id } = (await panel.get(`/accounts/${account}`)).body
    await panel.patch(`/packages/${package_id}`, { feature_list_id: list.id })
    const file = { name: 'shop.tar.gz', bytes: archive({ 'app.js': program('v1') }) }
    const refused = await visitor.upload(page, 'deployApp', {}, file)
    expect([refused.status, textOf(refused.body).includes('The feature apps is turned off')]).toEqual([403, true])
    const uploads = "SELECT count(*) FROM audit WHERE operation = 'createUpload'"
    expect(panel.store.sqlite.prepare(uploads).pluck().get()).toBe(0)
  })

  test('an archive is not received if its account has no space for it', async () => {
    const { panel, account, visitor, app } = await withVisitor()
    await app('shop', 'node', node)
    await panel.patch(`/accounts/${account}`, { disk_quota_mb: 2 })
    await panel.settle()
    panel.forget()
    const page = await visitor.get('/user/apps/shop')
    const file = { name: 'shop.tar.gz', bytes: Buffer.alloc(4 * 1024 * 1024) }
    const refused = await visitor.upload(page, 'deployApp', {}, file, 1024 * 1024)
    const output = 'disk_quota_mb: has room for 2097152 more bytes'
    expect([refused.status, textOf(refused.body)]).toEqual([409, expect.stringContaining(output)])
    expect((await panel.get(`/accounts/${account}/uploads`)).body.items).toEqual([])
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test('the log of an app is reloaded by a link, and filtered', async () => {
    const { panel, visitor, app, live } = await withVisitor()
    const { id } = await app('shop', 'node', node)
    await live(id, { 'app.js': `console.log('one <b>'); console.log('two'); ${program('v1')}` })
    await panel.settle()
    const page = await visitor.get('/user/apps/shop/log')
    expect(page.body).toContain('<span>one &lt;b&gt;</span>')
    expect(page.body).toContain('<a class="button" href="/user/apps/shop/log">Refresh</a>')
    const narrowed = await visitor.get('/user/apps/shop/log?q=two')
    expect(narrowed.body).toContain('<span>two</span>')
    expect(narrowed.body).not.toContain('one &lt;b')
  })
})
