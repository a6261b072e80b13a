import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

test('the version and the settings of PHP are a form of the page of a domain', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  const page = await visitor.get('/user/domains/alice.example')
  expect(textOf(page.body)).toContain('PHP version')
  expect([...page.body.matchAll(/<h3>([^<]+)/g)].map(([, title]) => title)).toEqual([
    'PHP',
    'Error pages',
    'Hotlinks',
    'Web application firewall',
  ])
  const [, names] = /<legend>Canonical name(.*?)<p /s.exec(page.body)!
  expect(textOf(names!)).toBe('To the name itself To the www name Nowhere Default')
  expect(textOf(/<legend>Display errors(.*?)<\/fieldset>/s.exec(page.body)![1]!)).toBe(
    'Yes No Default: no Shows errors to visitors',
  )
  expect(page.body).toMatch(/<input [^>]*name="error_pages\.404"/)
  const typed = { php_version: '8.1', 'php.memory_limit_mb': '256', 'php.display_errors': 'true' }
  await visitor.follow(await visitor.submit(page, 'updateDomain', typed))
  const [domain] = (await panel.get(`/accounts/${id}/domains`)).body.items
  expect(domain).toMatchObject({ php_version: '8.1', php: { memory_limit_mb: 256, display_errors: true } })
  const again = await visitor.get('/user/domains/alice.example')
  const refused = await visitor.submit(again, 'updateDomain', { 'php.memory_limit_mb': '600' })
  expect([refused.status, textOf(refused.body)]).toEqual([
    400,
    expect.stringContaining('memory_limit_mb: must be at most 512'),
  ])
})
