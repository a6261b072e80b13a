import { createHash, generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { installedVersions, phpFacts, reportedVersions } from '../../src/host/debian/php/versions.ts'
import { phpPackages } from '../../src/host/setup/php/packages.ts'
import { pinnedKey } from '../../src/host/setup/php/signing-key.ts'
import { addPhpSource } from '../../src/host/setup/php/source.ts'
import { php } from '../../src/host/setup/steps/php.ts'
import { tempDir } from '../host/helpers.ts'
import { bench, facts } from './context.ts'

/** Version 4, with an RSA key. */
function openPgpKey() {
  const { n, e } = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
  const integers = [n!, e!].map((text) => Buffer.from(text, 'base64url'))
  const numbers = integers.map((bytes) => {
    const head = Buffer.alloc(2)
    head.writeUInt16BE(bytes.length * 8)
    return Buffer.concat([head, bytes])
  })
  const body = Buffer.concat([Buffer.from([4, 0, 0, 0, 1, 1]), ...numbers])
  const head = Buffer.from([0x99, body.length >> 8, body.length & 255])
  return {
    file: Buffer.concat([head, body]),
    fingerprint: createHash('sha1').update(head).update(body).digest('hex').toUpperCase(),
  }
}

describe('the signing key of a package source', () => {
  const { file, fingerprint } = openPgpKey()

  test('is taken, armored or not, if it is the pinned one', () => {
    expect(pinnedKey(file, [fingerprint])).toEqual(file)
    const armored = `-----BEGIN PGP PUBLIC KEY BLOCK-----\nComment: x\n\n${file.toString('base64')}\n=AAAA\n-----END PGP PUBLIC KEY BLOCK-----\n`
    expect(pinnedKey(Buffer.from(armored), [fingerprint])).toEqual(file)
  })

  test('is refused if it is another, has another beside it, or is none', () => {
    const other = openPgpKey()
    expect(() => pinnedKey(other.file, [fingerprint])).toThrow(other.fingerprint)
    expect(() => pinnedKey(Buffer.concat([file, other.file]), [fingerprint])).toThrow(other.fingerprint)
    for (const bad of ['<html>', '', file.subarray(0, 40)])
      expect(() => pinnedKey(Buffer.from(bad), [fingerprint])).toThrow()
  })

  test('of another fingerprint adds no source', async () => {
    const context = bench()
    await expect(addPhpSource(context, facts.suite, async () => file)).rejects.toThrow(fingerprint)
    expect(context.ran).toEqual([])
    expect(existsSync(`${context.root}/etc/apt/sources.list.d/panel-sury.sources`)).toBe(false)
  })
})

/** A machine with these versions. */
function withVersions(...versions: string[]) {
  const root = tempDir()
  const put = (path: string, text = '') => {
    mkdirSync(dirname(root + path), { recursive: true })
    writeFileSync(root + path, text)
  }
  for (const version of versions) {
    put(`/usr/sbin/php-fpm${version}`)
    put(`/etc/php/${version}/mods-available/imagick.ini`, 'extension=imagick.so\n')
    put(`/etc/php/${version}/mods-available/opcache.ini`, 'zend_extension=opcache.so\n')
    put(`/etc/php/${version}/fpm/conf.d/20-curl.ini`)
  }
  put('/usr/sbin/php-fpm-other')
  return root
}

test('the versions of a machine are its masters, with the extensions that a pool can load', () => {
  const root = withVersions('8.2', '8.4')
  expect(installedVersions(root)).toEqual(['8.2', '8.4'])
  expect(reportedVersions(facts.suite, root)).toEqual([
    { version: '8.2', default: false, extensions: ['imagick'] },
    { version: '8.4', default: true, extensions: ['imagick'] },
  ])
  expect(phpFacts(facts.suite, root)).toEqual({ default: '8.4', loaded: { '8.2': ['curl'], '8.4': ['curl'] } })
})

describe('further versions', () => {
  const policyOf = (names: readonly string[]) =>
    names.map((name) => `${name}:\n  Installed: (none)\n  Candidate: 1.0\n`).join('')

  test('are installed with the extensions that apt has', async () => {
    const known = ['php8.1-fpm', 'php8.1-cli', 'php8.1-curl']
    const context = bench((command) => (command.includes('apt-cache policy') ? policyOf(known) : ''))
    expect(await phpPackages(context, { ...facts, php: ['8.1'] })).toEqual(
      ['php8.1-fpm', 'php8.1-cli', 'php8.1-curl'].sort((a, b) => known.indexOf(a) - known.indexOf(b)),
    )
    expect(context.ran).toContain('/usr/bin/apt-get update -q')
  })

  test('that no package source has are named, with one that does', async () => {
    const context = bench(() => '')
    await expect(phpPackages(context, { ...facts, php: ['7.4'] })).rejects.toMatchObject({
      message: "The package php7.4-fpm is not available from this machine's package sources.",
      hint: 'packages.sury.org has them: panel host setup --php 7.4 --php-source sury',
    })
  })

  test('that are there already need no package', async () => {
    const context = bench(() => '', withVersions('8.2'))
    expect(await phpPackages(context, { ...facts, php: ['8.2'] })).toEqual([])
  })
})

test('masters are started by requests alone, end gracefully, and see their sockets read-only', () => {
  const text = String(php.files!(facts).find(({ path }) => path.endsWith('panel-php-.service.d/panel.conf'))!.content)
  for (const line of ['KillSignal=SIGQUIT', 'StartLimitIntervalSec=0', 'Type=notify', 'OOMPolicy=continue'])
    expect(text).toContain(`\n${line}\n`)
  expect(text).not.toContain('[Install]')
  const units = php.units!(facts.suite)
  expect(units).toContainEqual({ name: 'panel-php-*.socket', run: 'as-it-is', renew: 'never' })
  expect(readFileSync('test/host/texts/active.txt', 'utf8')).toContain('\nReadOnlyPaths=/run/panel-php\n')
})
