import { describe, expect, test } from 'vitest'
import type { Privilege } from '../../src/contract/common.ts'
import { type Json, startPanel } from '../harness.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

/** A panel whose root is signed in, with an account that is not yet a reseller. */
async function started() {
  const panel = await startPanel()
  const { id } = await panel.account('rita', { password })
  await panel.put('/root/password', { new_password: password })
  const root = await new Visitor(panel).signIn('root', 'admin')
  return { panel, id, root }
}

/** rita, signed in as a reseller with exactly these privileges. */
async function reseller(...acl: Privilege[]) {
  const { panel, id } = await started()
  await panel.post('/resellers', { account_id: id, acl })
  return { panel, rita: await new Visitor(panel).signIn('rita', 'admin') }
}

/** The link of a form that fills in a common case. */
const presetIn = (body: string, label: string): string =>
  [...body.matchAll(/<a[^>]*href="([^"]*)"[^>]*>([^<]*)</g)]
    .find(([, , text]) => text === label)![1]!
    .replaceAll('&amp;', '&')

const typeOf = (body: string, name: string): string | undefined =>
  new RegExp(`<input[^>]*type="(\\w+)"[^>]*name="${name}"`).exec(body)?.[1] ??
  new RegExp(`<input[^>]*name="${name}"[^>]*type="(\\w+)"`).exec(body)?.[1]

test('a page above that a reseller may not see is no link, and Cancel leads past it', async () => {
  const { panel, rita } = await reseller('list-accts', 'create-acct', 'ssl')
  await panel.account('carol', { owner_id: (await panel.get('/accounts?q=rita')).body.items[0].id })
  await panel.settle()
  const { status, body } = await rita.get('/admin/accounts/carol/ssl/issue')
  expect([status, body.includes('href="/admin/accounts/carol/ssl"')]).toEqual([200, false])
  expect(body).toMatch(/href="\/admin\/accounts\/carol\/?"[^>]*>Cancel/)
})

describe('a reseller of the preset "Sells hosting"', () => {
  test.each(['Small site', 'Shop', 'Agency'])(
    'sells hosting: the package "%s", and an account on it',
    async (label) => {
      const { panel, id, root } = await started()
      const form = await root.get('/admin/resellers/new')
      const preset = await root.get(presetIn(form.body, 'Sells hosting').replace('http://x', ''))
      expect((await root.follow(await root.submit(preset, 'createReseller', { account_id: id }))).status).toBe(200)
      const rita = await new Visitor(panel).signIn('rita', 'admin')
      expect((await rita.get('/admin/')).body).toContain('href="/admin/packages"')
      const packages = await rita.get('/admin/packages/new')
      const filled = await rita.get(presetIn(packages.body, label))
      panel.forget()
      const made = await rita.follow(await rita.submit(filled, 'createPackage'))
      expect([made.status, textOf(made.body)]).toEqual([200, expect.stringContaining('Package created.')])
      const [plan] = (await panel.get('/packages')).body.items.filter(({ owner }: Json) => owner === 'rita')
      const account = await rita.get('/admin/accounts/new')
      expect(account.body).toContain(`<option value="${plan.id}"`)
      const named = { username: 'carol', domain: 'carol.example', package_id: plan.id }
      const sold = await rita.follow(await rita.submit(account, 'createAccount', named))
      expect(sold.status).toBe(200)
      const [carol] = (await panel.get('/accounts?q=carol')).body.items
      expect([carol.package_name, carol.owner_id]).toEqual([plan.name, id])
      expect([panel.events(), panel.jobs()]).toEqual([
        ['package.created', 'account.created'],
        ['account.create queued'],
      ])
    },
  )
})

describe('the package form of a reseller', () => {
  test('asks for what its privileges leave open, and every preset works', async () => {
    const { panel, rita } = await reseller('list-pkgs', 'add-pkg', 'edit-pkg')
    const form = await rita.get('/admin/packages/new')
    expect([textOf(form.body).match(/A number: your privileges do not include unlimited\./g)?.length]).toEqual([2])
    const types = ['max_addon', 'max_parked', 'max_email_per_hour', 'max_email', 'disk_quota_mb']
    expect(types.map((name) => [name, typeOf(form.body, name)])).toEqual([
      ['max_addon', 'hidden'],
      ['max_parked', 'hidden'],
      ['max_email_per_hour', 'hidden'],
      ['max_email', 'text'],
      ['disk_quota_mb', 'text'],
    ])
    const empty = await rita.submit(form, 'createPackage', { name: 'small' })
    expect(empty.status).toBe(400)
    expect(textOf(empty.body)).toContain('needs a number, or the privilege allow-unlimited-disk-pkgs')
    for (const label of ['Small site', 'Shop', 'Agency']) {
      const preset = await rita.get(presetIn(form.body, label))
      const made = await rita.follow(await rita.submit(preset, 'createPackage'))
      expect([label, made.status]).toEqual([label, 200])
    }
    const own = (await panel.get('/packages')).body.items.filter(({ owner }: Json) => owner === 'rita')
    expect(own.map(({ name, max_addon, max_parked }: Json) => [name, max_addon, max_parked])).toEqual([
      ['small', 0, 0],
      ['shop', 0, 0],
      ['agency', 0, 0],
    ])
  })

  test('says beside the fields of a package what can be set, and changes none by itself', async () => {
    const { panel, rita } = await reseller('list-pkgs', 'add-pkg', 'edit-pkg', 'allow-addoncreate')
    const limits = { disk_quota_mb: 100, bw_limit_mb: 1000, max_addon: 3, max_parked: 0 }
    const form = await rita.get('/admin/packages/new')
    const typed = Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)]))
    const made = await rita.follow(await rita.submit(form, 'createPackage', { ...typed, name: 'mine' }))
    expect(textOf(made.body)).toContain('Only 0: your privileges do not include more.')
    expect(formIn(made.body, 'updatePackage').fields.has('none.disk_quota_mb')).toBe(false)
    const saved = await rita.follow(await rita.submit(made, 'updatePackage', { max_email: '7' }))
    expect(saved.status).toBe(200)
    const [plan] = (await panel.get('/packages?q=mine')).body.items
    expect(plan).toMatchObject({ ...limits, max_email: 7 })
  })

  test('leaves root and a reseller with the privileges every field', async () => {
    const { root } = await started()
    const { rita } = await reseller('add-pkg', 'all')
    for (const visitor of [root, rita]) {
      const { body } = await visitor.get('/admin/packages/new')
      expect(textOf(body)).not.toContain('your privileges')
      expect(typeOf(body, 'max_addon')).toBe('text')
    }
  })
})

describe('a reseller that cannot see packages', () => {
  test('stays on the form that it sent, which says what was done', async () => {
    const { rita } = await reseller('add-pkg')
    const form = await rita.get('/admin/packages/new')
    const limits = { name: 'mine', disk_quota_mb: '100', bw_limit_mb: '1000' }
    const made = await rita.submit(form, 'createPackage', limits)
    expect(made.headers.get('location')).toMatch(/^\/admin\/packages\/new\?/)
    const next = await rita.follow(made)
    expect([next.status, textOf(next.body)]).toEqual([200, expect.stringContaining('Package created.')])
  })

  test('names a package of its own for an account; an unknown name is said to be unknown', async () => {
    const { panel, rita } = await reseller('list-accts', 'create-acct', 'add-pkg')
    const package_id = 'mine'
    const account = { username: 'carol', domain: 'carol.example', package_id }
    const form = await rita.get('/admin/accounts/new')
    const unknown = await rita.submit(form, 'createAccount', account)
    expect([unknown.status, textOf(unknown.body)]).toEqual([
      400,
      expect.stringContaining('no package that you can use has this name'),
    ])
    const hidden = (await panel.post('/packages', { name: 'mine' })).body
    expect((await rita.submit(form, 'createAccount', account)).status).toBe(400)
    const packages = await rita.get('/admin/packages/new')
    await rita.submit(packages, 'createPackage', { name: 'mine', disk_quota_mb: '100', bw_limit_mb: '1000' })
    expect((await rita.follow(await rita.submit(form, 'createAccount', account))).status).toBe(200)
    const [carol] = (await panel.get('/accounts?q=carol')).body.items
    expect([carol.package_name, carol.package_id === hidden.id]).toEqual(['mine', false])
  })
})

test('a package of root is shown to a reseller without forms', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('carol', { password })
  await panel.post('/resellers', { account_id: id, acl: ['list-pkgs', 'viewglobalpackages', 'add-pkg', 'edit-pkg'] })
  await panel.post('/packages', { name: 'shared', disk_quota_mb: 500 })
  const reseller = await new Visitor(panel).signIn('carol', 'admin')
  const page = await reseller.get('/admin/packages/shared')
  expect(textOf(page.body)).toContain('This package belongs to your provider')
  expect(page.body).not.toMatch(/form-updatePackage|do=deletePackage/)
})
