import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localCommands } from '../cli/local.ts'
import { password } from './fixtures.ts'

const { home, start } = localCommands()

test('manages mail on the command line, where addresses and domains identify the account', {
  timeout: 60_000,
}, async () => {
  const { panel, succeeds } = await start()
  const file = join(home, 'pw')
  writeFileSync(file, `${password}\n`)
  await succeeds('accounts create alice --domain alice.example -q')
  await succeeds(`email create info@alice.example --quota-mb 500 --password-file ${file} -q`)
  const [heading, row] = (await succeeds('email list -a alice')).split('\n')
  expect(heading!.split('\t')).toEqual(['address', 'quota_mb', 'used_bytes', 'suspended_login', 'status'])
  expect(row).toBe('info@alice.example\t500\t0\tfalse\tactive')
  expect(JSON.parse(await succeeds('email show info@alice.example -o json'))).toMatchObject({ local_part: 'info' })
  await succeeds('email update info@alice.example --quota-mb 600 -q')
  await succeeds(`email set-password info@alice.example --password-file ${file} -q`)
  expect(await succeeds('email suspend info@alice.example --incoming --no-headers')).toBe(
    'info@alice.example\ttrue\ttrue\ttrue\tactive\n',
  )
  await succeeds('email unsuspend info@alice.example -q')
  expect(await succeeds('email client-config info@alice.example --select mobileconfig -o json')).toContain('plist')
  await succeeds('email autoresponder set info@alice.example --subject Away --body Soon. -q')
  expect(await succeeds('email autoresponder show info@alice.example -o json')).toContain('"Soon."')
  await succeeds('email autoresponder delete info@alice.example --yes -q')
  await succeeds('email forwarders create sales@alice.example bob@ext.example,info@alice.example -q')
  expect(await succeeds('email forwarders list -a alice')).toContain('bob@ext.example')
  await succeeds('email forwarders update sales@alice.example --destinations bob@ext.example -q')
  await succeeds('email domains set-catch-all alice.example forward info@alice.example -q')
  expect((await panel('email delete info@alice.example --yes')).code).toBe(5)
  await succeeds('email domains set-catch-all alice.example reject -q')
  await succeeds('email domains set-routing alice.example remote -q')
  expect(await succeeds('email domains list -a alice')).toContain('alice.example\tremote\ttrue')
  await succeeds('email domains set-routing alice.example auto -q')
  await succeeds('email domains rotate-dkim alice.example -q')
  expect(JSON.parse(await succeeds('email domains show alice.example -o json')).dkim_selector).toBe('panel2')
  const list = (await succeeds('email dns alice.example')).trimEnd().split('\n')
  expect(list[0]!.split('\t')).toEqual(['kind', 'status', 'name', 'found', 'wanted', 'advice'])
  expect(list.slice(1).map((line) => line.split('\t')[0])).toEqual([
    ...['mx', 'spf', 'dkim', 'dmarc', 'ptr', 'helo', 'mta_sts', 'tls_rpt'],
  ])
  expect(list[3]).toContain('panel2._domainkey.alice.example')
  expect(list[3]).toContain('v=DKIM1; k=rsa; p=')
  await succeeds('email spam set-filter true --score 5 -a alice -q')
  expect(await succeeds('email spam show -a alice')).toContain('filter\ttrue\nscore\t5\nbox\ttrue\n')
  expect(await succeeds('email usage -a alice')).toContain('mailboxes.used')
  await succeeds('email forwarders update sales@alice.example --destinations info@alice.example -q')
  expect((await panel('email delete info@alice.example')).code).toBe(6)
  expect(await succeeds('email delete info@alice.example --yes')).toMatch(
    /^address\t.*\ninfo@alice\.example\t.*\tdeleting\n\nforwarders:\naddress\tdestinations\nsales@alice\.example\tinfo@alice\.example\n$/,
  )
  expect((await panel('email show info@alice.example')).code).toBe(3)
  await succeeds('email forwarders create all@alice.example sales@alice.example -q')
  expect(await succeeds('email forwarders delete sales@alice.example --yes')).toMatch(
    /\n\nforwarders:\naddress\tdestinations\nall@alice\.example\tsales@alice\.example\n$/,
  )
})
