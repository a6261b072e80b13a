import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

test('each event of a time is on one of its pages, 200 on each', { timeout: 60_000 }, async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  const names = [...Array(230).keys()].map((number) => `plan${String(number).padStart(3, '0')}`)
  for (const name of names) await panel.post('/packages', { name })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const namesOn = ({ body }: { body: string }) => [...new Set(textOf(body).match(/plan\d{3}/g))]
  const first = await root.get('/admin/events?hours=1&type=package.created')
  const [, newer = ''] = /<a class="button" href="([^"]+)">Newer</.exec(first.body) ?? []
  const second = await root.get(newer.replaceAll('&amp;', '&'))
  expect([namesOn(first), namesOn(second)].map((shown) => shown.toReversed())).toEqual([
    names.slice(0, 200),
    names.slice(200),
  ])
  expect(second.body).not.toContain('>Newer<')
})
