import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localCommands } from '../cli/local.ts'
import { hasScript, typed } from '../cli/pty.ts'

const { home, start } = localCommands()

test('manages zones on the command line', { timeout: 60_000 }, async () => {
  const { panel, succeeds } = await start()
  await succeeds('accounts create alice --domain alice.example -q')
  const [heading, row] = (await succeeds('dns list -a alice')).split('\n')
  expect(heading!.split('\t')).toEqual(['name', 'serial', 'applied_serial', 'record_count', 'dnssec'])
  expect(row).toMatch(/^alice\.example\t/)
  await succeeds('dns add-record alice.example blog A 192.0.2.9 -q')
  const records = JSON.parse(await succeeds('dns records alice.example --search blog -o json'))
  expect(records).toMatchObject([{ name: 'blog', type: 'A', value: '192.0.2.9', managed: false }])
  await succeeds(`dns update-record alice.example ${records[0].id} --ttl 300 -q`)
  const exported = await succeeds('dns export alice.example')
  expect(exported).toContain('\nblog 300 IN A 192.0.2.9\n')
  const file = join(home, 'zone')
  writeFileSync(file, `${exported}\nshop IN CNAME @\n`)
  expect(JSON.parse(await succeeds(`dns import alice.example ${file} -o json`))).toMatchObject({ created: 1 })
  expect((await panel(`dns import alice.example ${file} --mode replace`)).code).toBe(6)
  await succeeds(`dns import alice.example ${file} --mode replace --yes -q`)
  expect((await panel('dns import alice.example /nowhere/zone')).code).toBe(2)
  // As PowerShell redirects it.
  writeFileSync(file, `\ufeffcafe 300 IN A 192.0.2.7\r\n`, 'utf16le')
  expect(JSON.parse(await succeeds(`dns import alice.example ${file} -o json`))).toMatchObject({ created: 1 })
  expect((await panel('dns reset alice.example')).code).toBe(6)
  expect(await succeeds('dns enable-dnssec alice.example -o json')).toContain('"ds"')
  expect((await panel('dns disable-dnssec alice.example')).code).toBe(6)
  await succeeds(`dns delete-record alice.example ${records[0].id} --yes -q`)
})

const host = (at: number) => `h${at} A 192.0.2.${at % 250}\n`
const hosts = (count: number, from = 0) => Array.from({ length: count }, (_, at) => host(from + at)).join('')

test('a merge with more records than one import may change is split', { timeout: 60_000 }, async () => {
  const { panel } = await start()
  const recordCount = async () =>
    JSON.parse((await panel('dns list -a alice -o json')).stdout)[0].record_count as number
  await panel('accounts create alice --domain alice.example -q')
  const before = await recordCount()
  const file = join(home, 'large')

  writeFileSync(file, `$TTL 300\nsame A 192.0.2.1\n${hosts(2_498)} TXT "of the last"\n@ SOA a. b. 1 2 3 4 5\n`)
  const { serial } = JSON.parse((await panel('dns list -a alice -o json')).stdout)[0]
  await panel('dns add-record alice.example same A 192.0.2.1 --ttl 300 -q')
  expect((await panel(`dns import alice.example ${file} --serial ${serial}`)).code).toBe(5)
  const now = JSON.parse((await panel('dns list -a alice -o json')).stdout)[0].serial
  const imported = await panel(`dns import alice.example ${file} --serial ${now} -o json`)
  expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('in 3 parts')])
  expect(JSON.parse(imported.stdout)).toMatchObject({
    zone: { name: 'alice.example', serial: now + 3 },
    created: 2_499,
    deleted: 0,
    unchanged: 1,
    skipped: [{ line: 2_502, reason: 'SOA is made by the server' }],
  })
  expect(await recordCount()).toBe(before + 2_500)
  expect(JSON.parse((await panel('dns records alice.example --type TXT --search h2497 -o json')).stdout)).toMatchObject(
    [{ name: 'h2497', ttl: 300 }],
  )
  expect((await panel(`dns import alice.example ${file} --mode replace --yes -o json`)).code).toBe(0)

  writeFileSync(file, `${hosts(1_200, 5_000)}mx MX 1 last\n${hosts(1_200, 7_000)}last A 192.0.2.1\n`)
  const without = await panel(`dns import alice.example ${file} -o json`)
  expect(JSON.parse(without.stdout).skipped).toEqual([
    { line: 1201, reason: 'mx MX: last.alice.example has no address in the zone' },
  ])
  writeFileSync(file, `${hosts(1_200, 15_000)}mx CNAME last\nmx A 192.0.2.1\n${hosts(1_200, 17_000)}`)
  const refused = await panel(`dns import alice.example ${file} -o json`)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('line 1202: mx A: name: ')
  writeFileSync(file, hosts(2_100, 9_000))
  expect((await panel(`dns import alice.example ${file} --no-wait -q`)).stdout).toMatch(/^\w{26}\n$/)
  const dry = await panel(`dns import alice.example ${file} --dry-run -o json`)
  expect(JSON.parse(dry.stdout)).toMatchObject({ method: 'POST', body: { zone_file: expect.any(String) } })
  const replaced = await panel(`dns import alice.example ${file} --mode replace --yes`)
  expect([replaced.code, replaced.stderr]).toEqual([5, expect.stringContaining('An import changes at most 2000')])
})

test.runIf(hasScript)('a replacing import shows the records it changes, and asks for the zone name', async () => {
  const { server, succeeds } = await start()
  await succeeds('accounts create alice --domain alice.example -q')
  const file = join(home, 'replacing')
  const exported = await succeeds('dns export alice.example')
  writeFileSync(file, `${exported.replace(/^www .*\n/m, '').replaceAll(' IN ', '\tIN\t')}shop 300 IN CNAME @\n`)
  const line = `dns import alice.example ${file} --mode replace --data-dir ${server.dir}`
  const { code, text } = await typed(line, { XDG_CONFIG_HOME: home }, [['Replace the records of alice.example', 'n\r']])
  expect(text.split('\n').filter((visible) => /^[-+] /.test(visible))).toEqual([
    '- www A 192.0.2.2',
    '+ shop 300 CNAME alice.example',
  ])
  expect([code, text]).toEqual([1, expect.stringContaining('Not confirmed: nothing was changed')])
})
