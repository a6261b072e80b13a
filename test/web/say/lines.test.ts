import { expect, test } from 'vitest'
import { commandTable } from '../../../src/generate/table.ts'
import { type CommandCall, sayCurl, sayPanel } from '../../../src/shared/command-line.ts'

const table = commandTable()
const account = '01K9ZQ5T3M8V4X7C2B6N1D0001'
const mailbox = '01K9ZQ5T3M8V4X7C2B6N1D0002'
const names = { id: 'alice' }
const say = (command: CommandCall) => sayPanel(table, command)
const created: CommandCall = {
  operation: 'createMailbox',
  params: { id: account },
  names,
  body: { address: 'info@shop.example', quota_mb: 500, password: 'correct horse' },
}

test('an account is named on the admin panel, and implied on its own', () => {
  const line = 'panel email create info@shop.example'
  const options = '--quota-mb 500 --password-stdin'
  expect(say({ ...created, panel: 'admin' })?.line).toBe(`${line} -a alice ${options}`)
  expect(say({ ...created, panel: 'user' })?.line).toBe(`${line} ${options}`)
})

test('what is still to be typed is in capitals', () => {
  const output = say({ operation: 'createMailbox', params: { id: account }, names, panel: 'user', body: {} })
  expect(output).toEqual({ line: 'panel email create ADDRESS --password-stdin', copyable: true, complete: false })
})

test('what does not fit in a word goes into a file', () => {
  const body = { zone_file: '$TTL 60\n@ A 192.0.2.1\n', mode: 'replace' }
  const output = say({
    operation: 'importDnsZone',
    params: { id: account, zid: mailbox },
    names: { zid: 'shop.example' },
    panel: 'user',
    body,
  })
  expect(output?.line).toBe('panel dns import shop.example --mode replace --data @changes.json')
  expect(JSON.parse(output!.data!)).toEqual({ zone_file: body.zone_file })
})

test('names are those of objects, never ones the command line would read as empty', () => {
  const command = { operation: 'createAccount', body: { username: 'bob', domain: 'bob.example', package_id: mailbox } }
  expect(say({ ...command, names: { package_id: 'Gold plan' } })?.line).toBe(
    "panel accounts create bob --domain bob.example --package 'Gold plan'",
  )
})

test('the same change to many is one line', () => {
  const output = say({
    operation: 'suspendAccount',
    params: { id: account },
    names,
    many: ['alder', 'aurora'],
    body: { reason: 'unpaid' },
  })
  expect(output?.line).toBe('panel accounts suspend alder aurora --reason unpaid')
})

test('invisible characters are shown by number, and cannot be copied', () => {
  const output = say({ operation: 'readFile', params: { id: account }, panel: 'user', query: { path: 'a\u202eb\n' } })
  expect(output).toMatchObject({ line: "panel files read 'a\\u{202e}b\\u{a}'", copyable: false })
  expect(output?.note).toContain('path_bytes')
})

test('curl has ids, a quoted body, and no secret', () => {
  const output = sayCurl(table, created, { origin: 'https://panel.example:7711', pin: 'ab'.repeat(32) })
  expect(output.line).toBe(
    `curl -X POST --insecure --pinnedpubkey 'sha256//${Buffer.alloc(32, 0xab).toString('base64')}' -H "Authorization: Bearer $PANEL_TOKEN" ` +
      `-H 'Content-Type: application/json' --data '{"address":"info@shop.example","quota_mb":500,"password":"PASSWORD"}' ` +
      `'https://panel.example:7711/api/v1/accounts/${account}/email/accounts'`,
  )
  expect(output.note).toBe('Replace PASSWORD.')
})

test('secrets are in no line and in no file', () => {
  const body = { current_password: 'canary one', new_password: 'canary two' }
  const command = { operation: 'changeAccountPassword', params: { id: account }, names, body }
  const output = [say(command), sayCurl(table, command, { origin: 'https://panel.example:7711' })]
  expect(JSON.stringify(output)).not.toContain('canary')
  expect(output[0]?.line).toBe('panel accounts set-password alice --current-password --password-stdin')
})
