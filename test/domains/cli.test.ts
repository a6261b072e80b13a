import { expect, test } from 'vitest'
import { localCommands } from '../cli/local.ts'

const { start } = localCommands()

test('manages domains on the command line', { timeout: 60_000 }, async () => {
  const { panel, succeeds } = await start()
  await succeeds('accounts create alice --domain alice.example -q')
  const created = await succeeds('domains create shop.example -a alice -o json')
  expect(JSON.parse(created)).toMatchObject({ name: 'shop.example', status: 'active' })
  await succeeds('domains create blog.shop.example --account alice --handler static -q')
  await succeeds('domains create shop.test -a alice --kind parked --parent shop.example -q')
  const list = await succeeds('domains list -a alice --columns name,kind,handler,status')
  expect(
    list
      .split('\n')
      .slice(1, 5)
      .map((line) => line.trim().split(/\s+/)),
  ).toEqual([
    ['alice.example', 'main', 'php', 'active'],
    ['shop.example', 'addon', 'php', 'active'],
    ['blog.shop.example', 'sub', 'static', 'active'],
    ['shop.test', 'parked', 'php', 'active'],
  ])
  const [heading] = (await succeeds('domains list -a alice')).split('\n')
  expect(heading!.split('\t')).toEqual(['name', 'kind', 'document_root', 'handler', 'certificate.status', 'status'])
  const updated = await succeeds('domains update shop.example --handler php-front -o json')
  expect(JSON.parse(updated)).toMatchObject({ handler: 'php-front', status: 'active' })
  expect(JSON.parse(await succeeds('domains show shop.test -o json'))).toMatchObject({
    handler: 'php-front',
    document_root: 'sites/shop.example/public',
  })
  await succeeds('domains add-redirect shop.example /old https://new.example/ --status 302 -q')
  const [redirect] = JSON.parse(await succeeds('domains redirects shop.example -o json'))
  expect(redirect).toMatchObject({ path: '/old', target: 'https://new.example/', status: 302 })
  await succeeds(`domains delete-redirect shop.example ${redirect.id} --yes -q`)
  const refused = await panel('domains delete shop.example --yes')
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('1 subdomain, 1 alias domain')])
  await succeeds('domains delete blog.shop.example --yes -q')
  expect((await panel('domains show blog.shop.example')).code).toBe(3)
  const notRequested = await panel('domains delete shop.test')
  expect(notRequested.code).toBe(6)
})
