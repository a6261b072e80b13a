import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { foreignSiteDifferences, setForeignSitesAside } from '../../src/host/debian/foreign-sites.ts'
import { groupsOf } from '../../src/host/debian/names.ts'
import { tempDir } from '../host/helpers.ts'
import { has } from '../setup/ground.ts'

test('a virtual host that no account has is shown, and set aside', () => {
  const root = tempDir()
  const sites = 'etc/panel/nginx/sites'
  for (const name of ['bob.example.conf', 'evil.conf', 'former.conf.refused']) has(root, `${sites}/${name}`)
  has(root, 'var/lib/panel-host/manifest/1.json', JSON.stringify({ files: { web: [`${sites}/bob.example.conf`] } }))
  const evil = { path: `/${sites}/evil.conf`, change: 'surplus', note: 'no account has this site' }
  expect(foreignSiteDifferences(root)).toEqual([evil])
  expect(setForeignSitesAside(root)).toEqual([`${sites}/evil.conf`])
  expect([`${sites}/evil.conf.refused`, `${sites}/bob.example.conf`].map((one) => existsSync(join(root, one)))).toEqual(
    [true, true],
  )
  expect(foreignSiteDifferences(root)).toEqual([])
})

test('while a manifest cannot be read no site is called foreign, and the fault is named', () => {
  const root = tempDir()
  has(root, 'etc/panel/nginx/sites/bob.example.conf')
  has(root, 'var/lib/panel-host/manifest/1.json', '{"files"')
  has(root, 'var/lib/panel-host/manifest/.2.json.panel-new', '')
  const note = 'it cannot be read, so it is not known which sites are foreign; apply its account'
  expect(foreignSiteDifferences(root)).toEqual([{ path: '/var/lib/panel-host/manifest/1.json', change: 'fault', note }])
  expect(setForeignSitesAside(root)).toEqual([])
})

test("a site that was written for an account serves on where the account's manifest is lost", () => {
  const root = tempDir()
  const path = 'etc/panel/nginx/sites/bob.example.conf'
  has(root, path, '# panel account 01K9ZQ5T3M8V4X7C2B6N1D0FGH\nserver {}\n')
  expect(foreignSiteDifferences(root)).toEqual([
    { path: `/${path}`, change: 'surplus', note: 'no account has this site' },
  ])
  expect(setForeignSitesAside(root)).toEqual([])
})

test('the groups that name a user are found, whole names alone', () => {
  const root = tempDir()
  has(root, 'group', 'root:x:0:\nsudo:x:27:ann,bob\npanel-ssh:x:990:bob\nbob:x:20001:\nbobs:x:20002:bobby\n')
  expect(groupsOf('bob', join(root, 'group'))).toEqual(['sudo', 'panel-ssh'])
})
