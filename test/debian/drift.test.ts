import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { foreignFileDifferences } from '../../src/host/debian/foreign-files.ts'
import { foreignNameDifferences } from '../../src/host/debian/foreign-names.ts'
import { disableForeignSites, foreignSiteDifferences } from '../../src/host/debian/foreign-sites.ts'
import { groupsOf } from '../../src/host/debian/names.ts'
import { tempDir } from '../host/helpers.ts'
import { has } from '../setup/context.ts'

test('a virtual host that belongs to no account is shown, and set aside', () => {
  const root = tempDir()
  const sites = 'etc/panel/nginx/sites'
  for (const name of ['bob.example.conf', 'evil.conf', 'former.conf.refused']) has(root, `${sites}/${name}`)
  has(root, 'var/lib/panel-host/manifest/1.json', JSON.stringify({ files: { web: [`${sites}/bob.example.conf`] } }))
  const evil = { path: `/${sites}/evil.conf`, change: 'surplus', note: 'no account has this site' }
  expect(foreignSiteDifferences(root)).toEqual([evil])
  expect(disableForeignSites(root)).toEqual([`${sites}/evil.conf`])
  expect([`${sites}/evil.conf.refused`, `${sites}/bob.example.conf`].map((one) => existsSync(join(root, one)))).toEqual(
    [true, true],
  )
  expect(foreignSiteDifferences(root)).toEqual([])
})

test('while a manifest is unreadable no site is called foreign, and the error is shown', () => {
  const root = tempDir()
  has(root, 'etc/panel/nginx/sites/bob.example.conf')
  has(root, 'var/lib/panel-host/manifest/1.json', '{"files"')
  has(root, 'var/lib/panel-host/manifest/.2.json.panel-new', '')
  const note = 'it cannot be read, so it is not known which sites are foreign; apply its account'
  expect(foreignSiteDifferences(root)).toEqual([{ path: '/var/lib/panel-host/manifest/1.json', change: 'fault', note }])
  expect(disableForeignSites(root)).toEqual([])
})

test("an account's site keeps serving if the account's manifest is lost", () => {
  const root = tempDir()
  const path = 'etc/panel/nginx/sites/bob.example.conf'
  has(root, path, '# panel account 01K9ZQ5T3M8V4X7C2B6N1D0FGH\nserver {}\n')
  expect(foreignSiteDifferences(root)).toEqual([
    { path: `/${path}`, change: 'surplus', note: 'no account has this site' },
  ])
  expect(disableForeignSites(root)).toEqual([])
})

test('the groups that contain a user are found, by whole names only', () => {
  const root = tempDir()
  has(root, 'group', 'root:x:0:\nsudo:x:27:ann,bob\npanel-ssh:x:990:bob\nbob:x:20001:\nbobs:x:20002:bobby\n')
  expect(groupsOf('bob', join(root, 'group'))).toEqual(['sudo', 'panel-ssh'])
})

test("foreign files in places for accounts' files are shown", () => {
  const root = tempDir()
  const expected = ['etc/panel/ftp/passwd.d/bob', 'etc/panel/mail/domains.d/bob', 'etc/panel/ssh/keys/bob']
  const foreign = ['etc/panel/ftp/passwd.d/eve', 'etc/bind/panel/zones.d/eve', 'etc/panel/apps/eve.json']
  const others = [
    'etc/panel/nginx/server/names.conf',
    'etc/bind/panel/zones.d/_none',
    'etc/bind/panel/zones.d/_elsewhere',
  ]
  for (const path of [...expected, ...foreign, ...others]) has(root, path)
  has(root, 'etc/panel/ftp/passwd.d/.bob.panel-new')
  has(root, 'etc/panel/apps/eve.log')
  has(root, 'var/lib/panel-host/manifest/1.json', JSON.stringify({ files: { web: expected } }))
  has(root, 'var/lib/panel-host/manifest/server.json', JSON.stringify(['etc/panel/nginx/server/names.conf']))
  has(root, 'var/lib/panel-host/manifest/zones-1.json', JSON.stringify(['etc/bind/panel/zones.d/_elsewhere']))
  expect(
    foreignFileDifferences(root)
      .map(({ path }) => path.slice(1))
      .toSorted(),
  ).toEqual(foreign.toSorted())
  expect(new Set(foreignFileDifferences(root).map(({ note }) => note))).toEqual(
    new Set(['no account has this file: take it away by hand']),
  )
})

test('a file of the machine that claims a hosted name is shown', () => {
  const root = tempDir()
  has(root, 'etc/panel/nginx/sites/bob.example.conf', 'server { server_name bob.example www.bob.example; }\n')
  has(root, 'etc/nginx/conf.d/panel.conf', 'include /etc/panel/nginx/panel.conf;\n')
  has(root, 'etc/nginx/conf.d/mine.conf', 'server { server_name mine.example _; }\n# server_name bob.example;\n')
  has(root, 'etc/nginx/sites-enabled/evil', 'server {\n  server_name x.example\n    www.bob.example;\n}\n')
  const note = 'it claims www.bob.example, which panel serves: take that away by hand'
  expect(foreignNameDifferences(root)).toEqual([{ path: '/etc/nginx/sites-enabled/evil', change: 'surplus', note }])
})
