import { expect, test } from 'vitest'
import { occurred } from '../domains/fixtures.ts'
import { hasPhp } from '../wordpress/core.ts'
import { configOf, root, withSites } from '../wordpress/fixtures.ts'
import { archiveFiles, sourceDirectory } from '../wordpress/source.ts'
import { password, textOf, Visitor } from './visitor.ts'

test('WordPress sites are looked for, shown and deleted on pages without a script', { timeout: 60_000 }, async () => {
  const { panel, wordpress, path } = await withSites()
  await panel.put('/root/password', { new_password: password })
  const visitor = await new Visitor(panel).signIn('root', 'admin')
  const list = '/admin/accounts/alice/wordpress'
  wordpress(root)
  wordpress(`${root}/blog`, `${configOf('', 'b_')}while (1) {}`)
  await occurred(panel)

  const looked = await visitor.submit(await visitor.get(list), 'scanWordpress')
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['wordpress.scan succeeded'] })
  expect(textOf((await visitor.follow(looked)).body)).toContain('Sites are being looked for.')
  const page = await visitor.get(list)
  expect(textOf(page.body)).toMatch(/alice\.example \/ 6\.8\.1.*alice\.example \/blog 6\.8\.1/)
  const [, blog] = (await panel.get(path)).body.items

  const site = await visitor.get(`${list}/${blog.id}`)
  expect(textOf(site.body)).toContain('alice.example/blog')
  expect(site.body).toContain('href="http://alice.example/blog/wp-admin/" rel="noreferrer noopener"')
  expect(textOf(site.body)).toContain('Its wp-config.php has a loop, which a file of settings does not.')
  expect(textOf(site.body)).not.toMatch(/Automatic updates|Auto update|Window/)

  const refusedLink = await visitor.submit(site, 'createWordpressLink')
  expect(refusedLink.status).toBeGreaterThanOrEqual(400)
  expect(refusedLink.body).toMatch(/class="faults" role="alert"><p><strong>/)

  const question = await visitor.get(`${list}/${blog.id}?do=deleteWordpress`)
  expect(textOf(question.body)).toContain('http://alice.example/blog')
  expect(textOf(question.body)).toContain("Its files go to the account's trash.")
  expect(textOf(question.body)).not.toMatch(/cannot be undone|returns the same job/)
  const refused = await visitor.submit(question, 'deleteWordpress', { confirm: 'alice.example' })
  expect(refused.status).toBe(400)
  const deleted = await visitor.submit(question, 'deleteWordpress', { confirm: 'http://alice.example/blog' })
  expect(textOf((await visitor.follow(deleted)).body)).toContain('The site is being deleted.')
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['wordpress.delete succeeded'] })
  const all = textOf((await visitor.get('/admin/wordpress')).body)
  expect(all).toContain('alice.example / alice')
  expect(all).toContain('Updates: any Yes No')
})

test.skipIf(!hasPhp)(
  'WordPress is installed by a form, which shows the password once',
  { timeout: 60_000 },
  async () => {
    const { panel, path } = await withSites({ trustTenants: true })
    const source = sourceDirectory()
    source.archive('wordpress-6.8.1.tar.gz', archiveFiles('6.8.1'))
    await panel.patch('/settings', { wordpress_source: source.directory })
    await panel.put('/root/password', { new_password: password })
    await occurred(panel)
    const visitor = await new Visitor(panel).signIn('root', 'admin')
    const list = '/admin/accounts/alice/wordpress'
    expect((await visitor.get(list)).body).toContain(`href="${list}/new"`)
    const form = await visitor.get(`${list}/new`)
    const typed = { title: '<b>Shop</b>', admin_user: 'ed', admin_email: 'ed@alice.example' }
    const refused = await visitor.submit(form, 'installWordpress', { ...typed, version: '9.9' })
    expect([refused.status, textOf(refused.body)]).toEqual([
      400,
      expect.stringContaining('is not offered by the source'),
    ])
    const answer = await visitor.submit(form, 'installWordpress', typed)
    const page = textOf(answer.status === 303 ? (await visitor.follow(answer)).body : answer.body)
    expect(page).toMatch(/WordPress is being installed\..*[\w-]{20}/)
    await occurred(panel)
    expect((await panel.get(path)).body.items).toMatchObject([{ status: 'active', version: '6.8.1' }])
  },
)
