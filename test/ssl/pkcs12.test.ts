import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ensureBuilt, inProcess, panel } from '../cli/run.ts'
import { place, startServer } from '../serve/server.ts'
import { certificate, file, inDir, type keys, newKey, openssl, threeLevels } from './openssl.ts'

beforeAll(ensureBuilt)

const { intermediate } = threeLevels()

/** A PKCS #12 file of a certificate for shop.example and its chain, as openssl writes it. */
function pkcs12(password: string, options: readonly string[], kind: keyof typeof keys = 'rsa2048'): string {
  const made = certificate({ key: newKey(kind), to: '20991231000000Z', issuer: intermediate })
  const out = file('')
  const content = ['-inkey', file(made.key), '-in', file(made.certificate), '-certfile', file(intermediate.certificate)]
  openssl('pkcs12', '-export', ...options, ...content, '-passout', `pass:${password}`, '-out', out)
  return inDir(out)
}

const forms = [
  ['the default of OpenSSL 3', []],
  ['-legacy', ['-legacy']],
] as const

test('the built client installs a PKCS #12 file', { timeout: 120_000 }, async () => {
  const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
  const run = (words: readonly string[], input?: string) =>
    panel([...words, '--data-dir', server.dir], input === undefined ? {} : { input })
  const ok = async (words: readonly string[], input?: string) => {
    const answer = await run(words, input)
    expect([words, answer.stderr, answer.code]).toEqual([words, expect.any(String), 0])
    return answer.stdout
  }
  await ok(['accounts', 'create', 'alice', '--domain', 'alice.example', '-q'])
  await ok(['domains', 'create', 'shop.example', '-a', 'alice', '-q'])
  const install = (path: string, ...more: string[]) => [
    ...'ssl install --domain shop.example --certificate'.split(' '),
    path,
    ...more,
  ]
  const serial = async () => JSON.parse(await ok(['ssl', 'show', 'shop.example', '-o', 'json'])).certificate
  for (const [form, options] of forms) {
    for (const kind of ['rsa2048', 'ec'] as const) {
      const locked = pkcs12('secret', options, kind)
      const before = await serial()
      const missing = await run(install(locked))
      expect([form, kind, missing.code, missing.stderr]).toEqual([
        form,
        kind,
        6,
        'error: The PKCS #12 file is locked: its password is needed\nhint: give --password-stdin or --password-file FILE\n',
      ])
      const wrong = await run(install(locked, '--password-stdin'), 'other\n')
      expect([form, kind, wrong.code, wrong.stderr]).toEqual([
        form,
        kind,
        2,
        'error: The PKCS #12 file cannot be opened with this password\nhint: give the one that was set when the file was exported\n',
      ])
      expect(await serial()).toBe(before)
      await ok(install(locked, '--password-stdin'), 'secret\n')
      expect(await serial()).not.toBe(before)
      const { ca_bundle } = JSON.parse(await ok(['ssl', 'show', 'shop.example', '-o', 'json']))
      expect(ca_bundle).toBe(intermediate.certificate)
    }
    const open = pkcs12('', options)
    const before = await serial()
    await ok(install(open))
    expect(await serial()).not.toBe(before)
  }
  const password = join(place(), 'password')
  writeFileSync(password, 'secret')
  await ok(install(pkcs12('secret', []), '--password-file', password))
  const cut = inDir(file(Buffer.from('3082ff00020103', 'hex')))
  const damaged = await run(install(cut))
  expect([damaged.code, damaged.stderr]).toEqual([2, expect.stringMatching(/^error: .*damaged/)])
})

test('a key in the same file as the certificate is used by the command line', { timeout: 60_000 }, async () => {
  const server = await startServer(place(), { hostname: 'localhost', port: 0, logLevel: 'silent' })
  const dir = place()
  const write = (name: string, text: string) => {
    writeFileSync(join(dir, name), text, { mode: 0o600 })
    return join(dir, name)
  }
  const run = (words: readonly string[]) => inProcess([...words, '--data-dir', server.dir], { XDG_CONFIG_HOME: dir })
  const install = (...more: string[]) => run(['ssl', 'install', '--domain', 'alice.example', ...more])
  expect((await run('accounts create alice --domain alice.example -q'.split(' '))).code).toBe(0)
  const made = certificate({ names: ['alice.example'], to: '20991231000000Z', issuer: intermediate })
  const [other, chain] = [newKey(), made.certificate + intermediate.certificate]

  const planned = await install('--certificate', write('pem', made.key + chain), '--dry-run')
  expect(planned.stdout).toContain('[secret]')
  expect(planned.stdout + planned.stderr).not.toContain('PRIVATE')
  const refusal = async (...more: string[]) => {
    const { code, stderr } = await install(...more)
    return [code, stderr]
  }
  const both = ['--certificate', join(dir, 'pem'), '--key', write('other', other)]
  expect(await refusal(...both)).toEqual([
    2,
    'error: --certificate has another private key than --key\nhint: leave out the one that is wrong\n',
  ])
  expect(await refusal('--certificate', write('two', made.key + chain + other))).toEqual([
    2,
    'error: --certificate has 2 private keys\nhint: give the right one as --key FILE\n',
  ])
  expect(await refusal('--certificate', made.key + chain)).toEqual([2, expect.stringContaining('give the path of')])
  expect(await refusal('--certificate', write('foreign', other + chain))).toEqual([
    1,
    expect.stringContaining('--key: does not belong to the certificate'),
  ])
  const locked = openssl('pkey', '-in', file(made.key), '-aes256', '-passout', 'pass:secret')
  const [sealed, password] = [write('sealed', chain + locked), write('password', 'secret')]
  expect(await refusal('--certificate', sealed)).toEqual([6, expect.stringContaining('--password-stdin')])
  expect((await install('--certificate', sealed, '--password-file', password)).code).toBe(0)
  expect((await run('ssl uninstall alice.example --yes -q'.split(' '))).code).toBe(0)
  const same = openssl('ec', '-in', file(made.key))
  expect((await install('--certificate', join(dir, 'pem'), '--key', write('same', same))).code).toBe(0)
  expect((await run('ssl uninstall alice.example --yes -q'.split(' '))).code).toBe(0)
  const { code, stdout } = await install('--certificate', join(dir, 'pem'), '-o', 'json')
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ kind: 'custom' })])
})
