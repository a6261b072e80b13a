import { expect, test } from 'vitest'
import { screens } from '../../src/areas/index.ts'
import { sideOf } from '../../src/web/kit/page-scope.ts'
import { knownPages, pageOf } from '../../src/whm/functions/pages.ts'
import { startFront } from './front.ts'

test("a link opens the page with cPanel's name, and home for any other", async () => {
  const front = await startFront()
  await front.panel.account('alice')
  const leads = async (app: string): Promise<string | null> => {
    const { url } = (await front.ok('create_user_session', { user: 'alice', service: 'cpaneld', app })) as {
      url: string
    }
    return (await front.panel.get(url, { from: '198.51.100.9' })).headers.get('location')
  }
  expect(await leads('Email_Accounts')).toBe('/user/email')
  expect(await leads('FileManager_Home')).toBe('/user/files')
  for (const app of ['Nothing_Known', 'constructor', '../admin']) expect(await leads(app)).toBe('/user/')
})

test('each of those pages exists', async () => {
  const all = await screens()
  const paths = all.filter((one) => sideOf(one) === 'account' && one.only !== 'admin').map(({ path }) => path)
  for (const app of knownPages) expect([app, paths.includes(pageOf(app).slice('/user'.length))]).toEqual([app, true])
})
