import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { differenceOf } from '../../src/cli/input/difference.ts'
import { ensureBuilt, inProcess } from '../cli/run.ts'
import { place, startServer } from '../serve/server.ts'

const home = mkdtempSync(join(tmpdir(), 'panel-dns-'))
beforeAll(ensureBuilt)
afterAll(() => rmSync(home, { recursive: true }))

test('zones on the command line', { timeout: 60_000 }, async () => {
  const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
  const panel = (line: string) => inProcess([...line.split(' '), '--data-dir', server.dir], { XDG_CONFIG_HOME: home })
  const succeeds = async (line: string) => {
    const { code, stdout, stderr } = await panel(line)
    expect([line, code, stderr]).toEqual([line, 0, expect.any(String)])
    return stdout
  }
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
  expect((await panel('dns reset alice.example')).code).toBe(6)
  expect(await succeeds('dns enable-dnssec alice.example -o json')).toContain('"ds"')
  expect((await panel('dns disable-dnssec alice.example')).code).toBe(6)
  await succeeds(`dns delete-record alice.example ${records[0].id} --yes -q`)
})

test('what replacing would change', () => {
  expect(differenceOf('a  A 192.0.2.1 ; x\nb A 192.0.2.2\n', 'a A 192.0.2.1\nc A 192.0.2.3\n')).toEqual([
    '- b A 192.0.2.2',
    '+ c A 192.0.2.3',
  ])
})
