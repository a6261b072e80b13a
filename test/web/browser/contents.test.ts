import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problemsInLooks } from './axe.ts'
import { type Browser, executablePath } from './browser.ts'
import { type Site, startSite } from './site.ts'

describe.skipIf(!executablePath)('pages of a backup and of access rules', { timeout: 120_000 }, () => {
  let site: Site
  let browser: Browser
  let backup: string
  beforeAll(async () => {
    site = await startSite()
    const parts = ['files', 'dns', 'config']
    backup = (await site.make('POST', `/accounts/${site.account}/backups`, { parts })).backup.id
    const [domain] = (await site.server.send('GET', `/accounts/${site.account}/domains`)).body.items
    const access = [
      { path: '/private', allow: ['192.0.2.0/24'], users: [{ name: 'anna', password: 'a long password' }] },
    ]
    await site.make('PATCH', `/accounts/${site.account}/domains/${domain.id}`, { access })
    browser = await site.open('user')
  }, 90_000)
  afterAll(async () => {
    await browser?.close()
    await site?.end()
  })

  const entries = () => site.server.send('GET', `/accounts/${site.account}/backups/${backup}/entries`)

  test('have no faults of accessibility, in every look', async () => {
    const { page } = browser
    await expect.poll(async () => (await entries()).status, { timeout: 60_000 }).toBe(200)
    const places = [
      `/user/backups/${backup}/files/sites`,
      `/user/backups/${backup}/dns`,
      '/user/domains/alice.example/access',
    ]
    for (const path of places) {
      await page.goto(site.origin + path)
      expect([path, await problemsInLooks(page)]).toEqual([path, []])
    }
  })
})
