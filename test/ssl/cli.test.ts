import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readableCell } from '../../src/cli/output/cells.ts'
import { table } from '../../src/cli/table.ts'
import { ensureBuilt, inProcess } from '../cli/run.ts'
import { place, startServer } from '../serve/server.ts'
import { certificate, file, inDir, openssl } from './openssl.ts'

const home = mkdtempSync(join(tmpdir(), 'panel-ssl-'))
beforeAll(ensureBuilt)
afterAll(() => rmSync(home, { recursive: true }))

function pkcs12({ certificate: pem, key }: { certificate: string; key: string }, password: string): string {
  const out = file('')
  openssl('pkcs12', '-export', '-inkey', file(key), '-in', file(pem), '-passout', `pass:${password}`, '-out', out)
  return out
}

test('manages certificates on the command line', { timeout: 60_000 }, async () => {
  const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
  const run = (words: string[]) => inProcess([...words, '--data-dir', server.dir], { XDG_CONFIG_HOME: home })
  const panel = (line: string) => run(line.split(' '))
  const succeeds = async (line: string, ...more: string[]) => {
    const { code, stdout, stderr } = await run([...line.split(' '), ...more])
    expect([line, code, stderr]).toEqual([line, 0, expect.any(String)])
    return stdout
  }
  await succeeds('accounts create alice --domain alice.example -q')
  await succeeds('domains create shop.example -a alice -q')
  const [heading, , shop] = (await succeeds('ssl list -a alice')).split('\n')
  expect(heading!.split('\t')).toEqual(['domain', 'kind', 'domains', 'not_after', 'status', 'trusted'])
  expect(shop).toMatch(/^shop\.example\tself_signed\tshop\.example,www\.shop\.example\t.*\tself-signed\tfalse$/)

  const csr = JSON.parse(await succeeds('ssl create-csr --domain shop.example -o json'))
  expect(JSON.parse(await succeeds('ssl csrs -a alice -o json'))).toEqual([csr])
  expect(await succeeds(`ssl show-csr ${csr.id} -a alice --select csr`)).toContain('BEGIN CERTIFICATE REQUEST')
  expect((await panel(`ssl delete-csr ${csr.id} -a alice`)).code).toBe(6)
  await succeeds(`ssl delete-csr ${csr.id} -a alice --yes`)

  const made = certificate({ from: '20260101000000Z', to: '20991231000000Z' })
  const key = join(home, 'key')
  writeFileSync(key, made.key, { mode: 0o600 })
  const install = 'ssl install --domain shop.example --private-key-file'
  const installed = JSON.parse(await succeeds(`${install} ${key} -o json`, '--certificate', made.certificate))
  expect(installed).toMatchObject({ domain: 'shop.example', kind: 'custom' })
  expect(JSON.parse(await succeeds('ssl show shop.example -o json'))).toMatchObject({ certificate: made.certificate })
  expect((await run([...`${install} ${key}`.split(' '), '--certificate', made.certificate])).code).toBe(5)
  const paths = Object.fromEntries(
    Object.entries(made).map(([name, text]) => {
      writeFileSync(join(home, name), text, { mode: 0o600 })
      return [name, join(home, name)]
    }),
  )
  await succeeds('ssl uninstall shop.example --yes -q')
  await succeeds(`ssl install --domain shop.example --certificate ${paths['certificate']} --key ${paths['key']} -q`)
  const onKey = await run([...`ssl install --domain shop.example --certificate ${key} --key`.split(' '), made.key])
  expect([onKey.code, onKey.stderr]).toEqual([2, expect.stringContaining('takes a file')])
  const absent = await panel(`ssl install --domain shop.example --certificate ${home}/none --key ${paths['key']}`)
  expect([absent.code, absent.stderr]).toEqual([2, expect.stringMatching(/--certificate: .*none.*PKCS #12/s)])
  await succeeds('ssl uninstall shop.example --yes -q')
  const pfx = inDir(pkcs12(made, 'secret'))
  writeFileSync(join(home, 'password'), 'secret\n')
  const locked = await panel(`ssl install --domain shop.example --certificate ${pfx}`)
  expect([locked.code, locked.stderr]).toEqual([6, expect.stringContaining('--password-stdin')])
  const opened = await panel(`ssl install --domain shop.example --certificate ${pfx} --password-file ${home}/password`)
  expect([opened.code, opened.stderr]).toEqual([0, expect.stringContaining('self-signed')])
  await succeeds('ssl uninstall shop.example --yes -q')
  expect(JSON.parse(await succeeds('ssl show shop.example -o json'))).toMatchObject({ kind: 'self_signed' })

  const refused = await panel('ssl issue shop.example')
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('acme_directory_url')])
  await succeeds('settings update --acme-directory-url http://127.0.0.1:1/directory --no-autossl-default -q')
  const failed = await panel('ssl issue shop.example')
  expect([failed.code, failed.stderr]).toEqual([9, expect.stringContaining('could not be reached')])
  expect(JSON.parse(await succeeds('ssl set-auto shop.example true -o json'))).toMatchObject({
    autossl: { enabled: true, challenge: 'http-01', last_error: 'The certificate authority could not be reached.' },
  })
})

test('a table shows how many days a certificate has left', () => {
  const column = Object.values(table.shapes)
    .flat()
    .find(({ field }) => field === 'not_after')!
  expect(readableCell(column, { not_after: Date.UTC(2026, 3, 1) }, Date.UTC(2026, 2, 1))).toBe('2026-04-01 (in 31 d)')
})
