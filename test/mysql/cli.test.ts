import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localCommands } from '../cli/local.ts'
import { panel as started } from '../cli/run.ts'

const { home, start } = localCommands()

test('manages databases on the command line', { timeout: 60_000 }, async () => {
  const { panel, succeeds } = await start()
  const file = join(home, 'pw')
  writeFileSync(file, 'canary-Plover-7741\n', { mode: 0o600 })
  await succeeds('accounts create alice --domain alice.example -q')
  await succeeds('mysql databases create shop -a alice -q')
  await succeeds(`mysql users create app -a alice --password-file ${file} -q`)
  await succeeds('mysql grant alice_shop alice_app --privileges SELECT,INSERT -q')
  const visible = JSON.parse(await succeeds('mysql databases show alice_shop -o json'))
  expect(visible).toMatchObject({
    name: 'alice_shop',
    status: 'active',
    users: [{ name: 'alice_app', privileges: ['SELECT', 'INSERT'] }],
  })
  const [heading, row] = (await succeeds('mysql databases list -a alice')).split('\n')
  expect([heading!.split('\t'), row!.split('\t')]).toEqual([
    ['name', 'used_bytes', 'status'],
    ['alice_shop', expect.anything(), 'active'],
  ])
  expect(JSON.parse(await succeeds('mysql server -a alice -o json'))).toMatchObject({ prefix: 'alice_' })
  await succeeds(`mysql users set-password alice_app --password-file ${file} -q`)
  expect((await panel('mysql users create other -a alice --password secret-on-argv')).code).toBe(2)
  await succeeds('mysql revoke alice_shop alice_app -q')
  expect(JSON.parse(await succeeds('mysql users show alice_app -o json')).databases).toEqual([])
  expect((await panel('mysql hosts create 192.0.2.7 -a alice')).code).toBe(5)
  await succeeds('settings update --mysql-public -q')
  expect(JSON.parse(await succeeds('mysql hosts create 192.0.2.7 -a alice -o json'))).toMatchObject({
    host: '192.0.2.7',
    status: 'active',
  })
  expect(await succeeds('mysql hosts show 192.0.2.7 -a alice')).toMatch(/^host\t192\.0\.2\.7\nstatus\tactive\n/)
  expect((await panel('mysql hosts delete 192.0.2.7 -a alice')).code).toBe(6)
  await succeeds('mysql hosts delete 192.0.2.7 -a alice --yes -q')
  expect((await panel('mysql users delete alice_app')).code).toBe(6)
  await succeeds('mysql users delete alice_app --yes -q')
  const wrong = await panel('mysql databases delete alice_shop --confirm alice_blog')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("must be the database's name")])
  expect((await panel('mysql databases delete alice_shop')).code).toBe(6)
  await succeeds('mysql databases delete alice_shop --yes -q')
  expect((await panel('mysql databases show alice_shop')).code).toBe(3)
})

test('a dump is imported from standard input', { timeout: 60_000 }, async () => {
  const { server, succeeds } = await start()
  await succeeds('accounts create alice --domain alice.example -q')
  await succeeds('mysql databases create shop -a alice -q')
  const words = ['mysql', 'import', 'alice_shop', '--file', '-', '--data-dir', server.dir, '-o', 'json']
  const { code, stdout, stderr } = await started(words, { input: 'CREATE TABLE orders (a int);\n' })
  expect([code, stderr]).toEqual([0, expect.any(String)])
  expect(JSON.parse(stdout)).toMatchObject({ name: 'alice_shop' })
  const dumps = JSON.parse(await succeeds('mysql show-dumps alice_shop -o json'))
  expect(dumps.import).toMatchObject({ tables: 1 })
})
