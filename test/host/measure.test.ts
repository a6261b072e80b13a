import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Descent } from '../../src/host/measure/descent.ts'
import { measure } from '../../src/host/measure/walk.ts'
import { account, apply, bench, nameOf } from './helpers.ts'

const megabyte = 1024 * 1024

/** A directory that may become deeper than Node itself can remove; in memory, if possible. */
function deepDir(): string {
  const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'panel-deep-'))
  onTestFinished(() => void execFileSync('rm', ['-rf', dir]))
  return dir
}

/** Runs a script in its own process, whose working directory may go deeper than any path. */
function script(source: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    // A small young generation: memory is then what is held, not what waits to be collected.
    ['--max-semi-space-size=8', '--import', 'tsx', '--input-type=module', '--eval', source, ...args],
    { encoding: 'utf8', timeout: 60_000 },
  )
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

const descend = `
  import { mkdirSync, writeFileSync } from 'node:fs'
  const [, top, levels, name] = process.argv
  process.chdir(top)
  const down = (name) => { mkdirSync(name); process.chdir(name) }
`

const du = (dir: string, ...options: string[]): number =>
  Number(execFileSync('du', ['-s', ...options, dir], { encoding: 'utf8' }).split('\t')[0])

const asDuSays = (dir: string) => ({ bytes: du(dir, '-B512') * 512, inodes: du(dir, '--inodes'), atLeast: false })

describe('measured home', () => {
  test('measures directories deeper than PATH_MAX, and than the number of levels open at once', () => {
    const dir = deepDir()
    const source = `${descend}
      for (let n = 0; n < 300; n++) { writeFileSync('f', 'x'.repeat(5000)); down(String(n).padEnd(200, 'y')); }
      writeFileSync('big', Buffer.alloc(31 * 1024 * 1024, 1))`
    script(source, dir)
    return expect(measure(dir)).resolves.toEqual(asDuSays(dir))
  })

  test('measures siblings on the way back up', () => {
    const dir = deepDir()
    const source = `${descend}
      for (let n = 0; n < 400; n++) { for (const m of [1, 2, 3]) mkdirSync('s' + m); writeFileSync('f', 'x'); down('z' + n) }`
    script(source, dir)
    return expect(measure(dir)).resolves.toEqual(asDuSays(dir))
  })

  test('measures names that are not valid text', async () => {
    const dir = deepDir()
    const odd = Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff, 0xfe, 0x0a])])
    mkdirSync(odd)
    writeFileSync(Buffer.concat([odd, Buffer.from('/file')]), Buffer.alloc(megabyte, 1))
    expect(await measure(dir)).toEqual(asDuSays(dir))
  })
})

test('a hundred thousand nested directories are measured in little memory', { timeout: 60_000 }, () => {
  const dir = deepDir()
  script(
    `${descend}
      for (let n = 0; n < 15; n++) down('x'.repeat(250))
      for (let n = 0; n < 100_000; n++) mkdirSync('d' + n)`,
    dir,
  )
  const walk = JSON.stringify(new URL('../../src/host/measure/walk.ts', import.meta.url).href)
  const source = `
    import { measure } from ${walk}
    await measure('/proc/self/fdinfo')
    const before = process.memoryUsage.rss()
    let peak = before
    const watch = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()) }, 10)
    const { inodes, atLeast } = await measure(process.argv.at(-1))
    clearInterval(watch)
    peak = Math.max(peak, process.memoryUsage.rss())
    console.log(JSON.stringify({ inodes, atLeast, grown: (peak - before) / 1024 / 1024 }))`
  const { grown, ...size } = JSON.parse(script(source, dir))
  expect(size).toEqual({ inodes: 100_016, atLeast: false })
  expect(grown).toBeLessThan(100)
})

describe('home that cannot be measured completely', () => {
  test('reports at least what was counted', async () => {
    const dir = deepDir()
    for (let n = 0; n < 50; n++) writeFileSync(join(dir, `f${n}`), Buffer.alloc(8192))
    expect(await measure(dir, { maxEntries: 20 })).toMatchObject({ inodes: 22, atLeast: true })
    expect(await measure(dir, { maxEntries: 51 })).toMatchObject({ inodes: 51, atLeast: false })
  })

  test('marks an incomplete figure in the driver', async () => {
    const { driver, root } = bench({ bounds: { maxEntries: 100 } })
    await apply(driver, account())
    const [all] = await driver.usage({ accounts: [nameOf(account())] })
    expect(all).not.toHaveProperty('atLeast')
    for (let n = 0; n < 200; n++) writeFileSync(join(root, `home/bob/apps/f${n}`), '')
    expect(await driver.usage({ accounts: [nameOf(account())] })).toMatchObject([{ atLeast: true }])
  })

  test('ends at once when it is cancelled', async () => {
    const stop = new AbortController()
    stop.abort(new Error('enough'))
    const { driver } = bench()
    await apply(driver, account())
    await expect(driver.usage({ accounts: [nameOf(account())] }, stop)).rejects.toThrow('enough')
  })
})

describe('tenant that moves directories', () => {
  test('reads nothing above a directory that a tenant moves during the walk', () => {
    const dir = deepDir()
    mkdirSync(join(dir, 'home'))
    let path = join(dir, 'home')
    const descent = Descent.into(path)!
    for (let n = 0; n < 140; n++) {
      path = join(path, 'd')
      mkdirSync(path)
      descent.down(Buffer.from('d'))
    }
    mkdirSync(join(dir, 'elsewhere'))
    renameSync(join(dir, 'home/d/d'), join(dir, 'elsewhere/d'))
    let levels = 0
    while (descent.up()) levels += 1
    expect(levels).toBe(138)
    descent.close()
  })

  test.skipIf(process.getuid?.() === 0)(
    'measures as far as possible when a tenant makes directories unreadable',
    async () => {
      const dir = deepDir()
      mkdirSync(join(dir, 'closed'))
      chmodSync(join(dir, 'closed'), 0)
      expect(await measure(dir)).toMatchObject({ inodes: 2, atLeast: false })
    },
  )

  test('does not follow a link that replaces a directory', async () => {
    const dir = deepDir()
    symlinkSync('/usr', join(dir, 'usr'))
    symlinkSync(dir, join(dir, 'self'))
    expect(await measure(dir)).toMatchObject({ inodes: 3 })
    expect(await measure(join(dir, 'self'))).toEqual({ bytes: 0, inodes: 0, atLeast: false })
    expect(existsSync(join(dir, 'gone'))).toBe(false)
    expect(await measure(join(dir, 'gone'))).toEqual({ bytes: 0, inodes: 0, atLeast: false })
  })
})
