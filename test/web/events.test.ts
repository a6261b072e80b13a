import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

test('a page includes the JSON only of the row in its address', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  for (const name of ['small', 'large']) await panel.post('/packages', { name, shell: '/bin/sh' })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const { items: audit } = (await panel.get('/audit?operation=createPackage&order=desc')).body
  const { items: events } = (await panel.get('/events')).body
  for (const [path, row, handle] of [
    ['/admin/audit?operation=createPackage', audit[0], audit[0].id],
    ['/admin/events?hours=1', events[1], events[1].seq],
  ] as const) {
    const page = await root.get(path)
    expect(page.body).not.toContain('<details class="json"')
    expect(page.body).toContain(`href="${path.replace('&', '&amp;')}&amp;json=${handle}#json"`)
    const [, ...visible] = (await root.get(`${path}&json=${handle}`)).body.split(
      '<details class="json" id="json" open=""',
    )
    expect(visible).toHaveLength(1)
    expect(JSON.parse(textOf(visible[0]!.split('<pre class="log" dir="ltr">')[1]!.split('</pre>')[0]!))).toEqual(row)
  }
})

test('all events of one time are paged, 200 to a page', { timeout: 60_000 }, async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  const names = [...Array(230).keys()].map((number) => `plan${String(number).padStart(3, '0')}`)
  for (const name of names) await panel.post('/packages', { name })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const namesOn = ({ body }: { body: string }) => [...new Set(textOf(body).match(/plan\d{3}/g))]
  const first = await root.get('/admin/events?hours=1&type=package.created')
  const [, older = ''] = /<a class="button" href="([^"]+)">Older</.exec(first.body) ?? []
  const second = await root.get(older.replaceAll('&amp;', '&'))
  const newest = names.toReversed()
  expect([namesOn(first), namesOn(second)]).toEqual([newest.slice(0, 200), newest.slice(200)])
  expect(second.body).not.toContain('>Older<')
})

test('the page, its command and its curl line show the same events in the same order', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  for (const name of ['zulu', 'yankee', 'xray']) await panel.post('/packages', { name })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const path = '/admin/events?hours=1&type=package.*'
  const page = await root.get(path)
  const order = [...textOf(page.body).matchAll(/\b(zulu|yankee|xray)\b/g)].map(([, name]) => name)
  expect([...new Set(order)]).toEqual(['xray', 'yankee', 'zulu'])
  const line = ({ body }: { body: string }) =>
    textOf(body).match(/panel events list[^\n]*|curl [^\n]*\/events[^\n]*/)?.[0]
  expect(line(await root.get(`${path}&say=panel`))).toMatch(/^panel events list (?!.*--order).*--since/)
  const [, query = ''] = /\/events\?([^'"\s]*)/.exec(line(await root.get(`${path}&say=curl`)) ?? '') ?? []
  expect(Object.keys(Object.fromEntries(new URLSearchParams(query))).sort()).toEqual([
    'limit',
    'order',
    'since',
    'type',
  ])
  const { items } = (await panel.get(`/events?${query}`)).body
  const { items: same } = (await panel.get('/events?type=package.*&order=desc')).body
  expect(items).toEqual(same)
})

test('a change is one line with the name of its author; completed jobs are shown if asked for', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  const bob = await panel.account('bob', { password })
  await panel.post('/resellers', { account_id: bob.id, acl: ['all'] })
  const reseller = await new Visitor(panel).signIn('bob', 'admin')
  const form = await reseller.get('/admin/accounts/new')
  await reseller.submit(form, 'createAccount', { username: 'carol', domain: 'carol.example' })
  await panel.settle()
  const root = await new Visitor(panel).signIn('root', 'admin')
  const rows = async (path: string) =>
    (await root.get(path)).body
      .split('<tr>')
      .map(textOf)
      .filter((row: string) => row.includes('carol'))
  const [made, ...others] = await rows('/admin/events?hours=1')
  expect(others).toEqual([])
  expect(made).toMatch(/^Account carol was created .* carol bob Browser/)
  expect((await rows('/admin/events?hours=1&jobs=true'))[0]).toMatch(/^Create an account: done/)
})
