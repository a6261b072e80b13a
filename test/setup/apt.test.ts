import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { install, missingPackages, planInstall, repairPackages } from '../../src/host/setup/apt.ts'
import { bench, has } from './context.ts'

const known = 'nginx-light:\n  Installed: (none)\n  Candidate: 1.26.3\n'
const simulated =
  'Inst libx (1.0 Debian:13)\nInst nginx-light (1.26.3 Debian:13)\nConf nginx-light (1.26.3 Debian:13)\n'
const uris = "'http://deb/x.deb' x.deb 2097152 SHA256:0\n'http://deb/n.deb' n.deb 1048576 SHA256:0\n"

interface Archive {
  readonly policy?: string
  readonly simulated?: string
  readonly size?: number
  readonly update?: string | undefined
}

function archive(over: Archive = {}) {
  const context = bench((command) => {
    if (command.includes('update')) return 'update' in over ? over.update : ''
    if (command.includes('policy')) return over.policy ?? known
    if (command.includes(' -s ')) return over.simulated ?? simulated
    if (command.includes('--print-uris')) return uris
    if (command.includes('show')) return `Package: libx\nInstalled-Size: ${over.size ?? 2048}\n`
    return ''
  })
  for (const folder of ['usr/x', 'var/x']) has(context.root, folder)
  return context
}

describe('packages to be installed', () => {
  test('lists packages with all their dependencies and their size', async () => {
    expect(await planInstall(archive(), ['nginx-light'])).toEqual({
      packages: ['libx', 'nginx-light'],
      downloadBytes: 3 * 1024 * 1024,
      installedBytes: 2 * 1024 * 1024,
    })
  })

  test('requires packages to be available from a source of this machine', async () => {
    const policy = 'nginx-light:\n  Installed: (none)\n  Candidate: (none)\n'
    await expect(planInstall(archive({ policy }), ['nginx-light'])).rejects.toMatchObject({
      message: "The package nginx-light is not available from this machine's package sources.",
      hint: "the component main of Debian's archive, in /etc/apt/sources.list or /etc/apt/sources.list.d",
    })
    await expect(planInstall(archive({ policy, update: undefined }), ['nginx-light'])).rejects.toThrow(
      '(/usr/bin/apt-get failed: as the test wants it).',
    )
  })

  test('refuses packages that would remove anything', async () => {
    const context = archive({ simulated: 'Remv exim4-base [4.96]\nInst postfix (3.7 Debian:12)\n' })
    await expect(planInstall(context, ['nginx-light'])).rejects.toMatchObject({
      message: 'Installing the packages would remove exim4-base, which this machine already has.',
      hint: 'if you do not need it: apt-get remove exim4-base',
    })
  })

  test('refuses packages that do not fit on the disk', async () => {
    await expect(planInstall(archive({ size: 2 ** 40 }), ['nginx-light'])).rejects.toThrow(
      /^The packages need \d+ MB below \/usr, where \d+ MB are free\.$/,
    )
  })
})

test('what is fully installed is not missing; what was half installed is finished first', async () => {
  const context = bench(() => 'nginx-light installed\nbind9 half-configured\nphp-fpm config-files\n')
  has(context.root, 'usr/sbin/x')
  expect(await missingPackages(context, ['nginx-light', 'bind9', 'php-fpm', 'procps', 'procps'])).toEqual([
    'bind9',
    'php-fpm',
    'procps',
  ])
  await repairPackages(context)
  expect(context.ran.slice(-2)).toEqual([
    '/usr/bin/dpkg --configure -a --force-confold',
    expect.stringContaining('install --fix-broken'),
  ])
})

const rule = 'usr/sbin/policy-rc.d'

test('no service starts while half-installed packages are finished', async () => {
  const inUse: boolean[] = []
  const context = bench((command) => {
    if (/ (--configure|--fix-broken)/.test(command)) inUse.push(existsSync(`${context.root}/${rule}`))
    return 'bind9 half-configured\n'
  })
  has(context.root, 'usr/sbin/x')
  await repairPackages(context)
  expect([...inUse, existsSync(`${context.root}/${rule}`)]).toEqual([true, true, false])
})

test('what a killed run started is waited for, before services are free to start', async () => {
  let left = ''
  const inUse: [string, boolean][] = []
  const context = bench((command) => {
    const word = / (check|--configure|--fix-broken)/.exec(command)?.[1]
    if (word) inUse.push([word, existsSync(`${context.root}/${rule}`)])
    if (command.endsWith('install bind9')) left = readFileSync(`${context.root}/${rule}`, 'utf8')
    return word === 'check' ? undefined : 'bind9 installed\n'
  })
  has(context.root, 'usr/sbin/x')
  await install(context, ['bind9'], [])
  await repairPackages(context)
  expect(inUse).toEqual([])
  has(context.root, rule, left)
  await repairPackages(context)
  expect(inUse).toEqual([
    ['check', true],
    ['--configure', true],
    ['--fix-broken', true],
  ])
  expect(existsSync(`${context.root}/${rule}`)).toBe(false)
})

test('no service starts while packages are installed, and an existing rule of the machine stays', async () => {
  const seen: string[] = []
  const context = bench((command) => {
    if (command.includes('install')) seen.push(readFileSync(`${context.root}/${rule}`, 'utf8'))
    return ''
  })
  has(context.root, 'usr/sbin/x')
  await install(context, ['postfix'], ['postfix postfix/main_mailer_type select No configuration'])
  expect(seen).toEqual([expect.stringContaining('exit 101')])
  expect(existsSync(`${context.root}/${rule}`)).toBe(false)
  has(context.root, rule, 'theirs')
  await install(context, ['postfix'], [])
  expect([seen[1], readFileSync(`${context.root}/${rule}`, 'utf8')]).toEqual(['theirs', 'theirs'])
})
