import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localCommands } from '../cli/local.ts'

const { home, start } = localCommands()

test('manages FTP accounts on the command line, where the domain identifies the account', {
  timeout: 60_000,
}, async () => {
  const { panel, succeeds } = await start()
  const file = join(home, 'pw')
  writeFileSync(file, 'canary-Garganey-9961\n', { mode: 0o600 })
  await succeeds('accounts create alice --domain alice.example -q')
  await succeeds(`ftp create deploy@alice.example --password-file ${file} -q`)
  const unknown = await panel(`ftp create deploy@other.example --password-file ${file}`)
  expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('other.example')])
  await succeeds(`ftp create all@alice.example --directory / --quota-mb 5 -a alice --password-file ${file} -q`)
  await succeeds('ftp update deploy@alice.example --quota-mb 1000 -q')
  const rows = (await succeeds('ftp list -a alice')).trim().split('\n')
  expect(rows.map((row) => row.split('\t'))).toEqual([
    ['login', 'directory', 'quota_mb', 'status'],
    ['deploy@alice.example', 'sites/alice.example/public', '1000', 'active'],
    ['all@alice.example', '/', '5', 'active'],
  ])
  await succeeds('ftp update deploy@alice.example --quota-mb unlimited -q')
  expect(JSON.parse(await succeeds('ftp show deploy@alice.example -o json'))).not.toHaveProperty('quota_mb')
  await succeeds(`ftp set-password deploy@alice.example --password-file ${file} -q`)
  expect(JSON.parse(await succeeds('ftp server -a alice -o json'))).toMatchObject({ ftp_port: 21 })
  expect(JSON.parse(await succeeds('ftp sessions -a alice -o json'))).toEqual([])
  expect((await panel('ftp delete deploy@alice.example')).code).toBe(6)
  await succeeds('ftp delete deploy@alice.example --yes -q')
  expect((await panel('ftp show deploy@alice.example')).code).toBe(3)
})
