import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { day, hour } from '../../src/shared/time.ts'
import { nothing, occurred, problem } from '../domains/fixtures.ts'
import { hasPhp } from './core.ts'
import { root } from './fixtures.ts'
import { withUpdates } from './updating.ts'

const done = { events: ['job.completed'], jobs: ['wordpress.update succeeded'] }
const plugins = `${root}/wp-content/plugins`

describe.skipIf(!hasPhp)('updateWordpress', () => {
  test('updates what has a newer version, and nothing else', async () => {
    const { panel, at, offer, offerCore, versionOfPlugin, coreVersion, isThere, status } = await withUpdates()
    offer('one', '1.10')
    offer('one', '1.9')
    offer('two', '0.9')
    offerCore('6.8')
    const { status: answered, body } = await panel.post(`${at}/update`, {})
    expect([answered, body.site.status]).toEqual([202, 'working'])
    expect(problem(await panel.post(`${at}/update`, {}))).toEqual([409, 'busy'])
    expect(await occurred(panel)).toEqual(done)
    expect(['one', 'two', 'three'].map(versionOfPlugin)).toEqual(['1.10', '1.0', '1.0'])
    expect(coreVersion()).toContain("'6.8'")
    expect(isThere(`${root}/upgraded`)).toBe(true)
    expect([isThere(`${root}/.maintenance`), isThere(`${plugins}/hello.php`)]).toEqual([false, false])
    expect([await status(), (await panel.get(at)).body.version]).toEqual(['active', '6.8'])
  })

  test.each([
    ['fails', 'none();', /PHP failed: .*undefined function none/],
    ['is not PHP', 'if (', /PHP failed: .*(syntax error|Unclosed)/],
    ['answers with an error', 'http_response_code(404);', /status was 200 and is 404/],
    ['ends the page', 'exit("nothing");', /ends before its end/],
    ['changes the title', 'ob_start(fn($text) => str_replace("Alice", "Eve", $text));', /title was "Shop of Alice"/],
    ['prints much', 'echo str_repeat("<p>spam</p>", 500);', /bytes and has/],
  ])('a plugin that %s goes back by itself, is named, and the others stay', async (_, code, reason) => {
    const { panel, offer, update, versionOfPlugin, job, status, isThere, at } = await withUpdates()
    offer('one', '2.0')
    offer('two', '2.0', code)
    offer('three', '2.0')
    const { body } = await update({ plugins: 'all' })
    expect(['one', 'two', 'three'].map(versionOfPlugin)).toEqual(['2.0', '1.0', '2.0'])
    const { status: ended, error } = await job(body.job_id)
    expect([ended, error]).toEqual(['failed', expect.stringMatching(/^Rolled back: plugin two 2\.0 \(\/: /)])
    expect(error).toMatch(reason)
    expect(await status()).toBe('active')
    const base = `.panel/wordpress/${at.split('/').at(-1)}`
    expect([isThere(`${base}/new`), isThere(`${base}/old/plugins/one`), isThere(`${base}/old/plugins/two`)]).toEqual([
      false,
      true,
      false,
    ])
    expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['wordpress.update failed'] })
  })

  test('without safe nothing is checked', async () => {
    const { offer, update, versionOfPlugin, job } = await withUpdates()
    offer('two', '2.0', 'none();')
    const { body } = await update({ plugins: ['two'], safe: false })
    expect([versionOfPlugin('two'), (await job(body.job_id)).status]).toEqual(['2.0', 'succeeded'])
  })

  test('a page that is named is checked too', async () => {
    const { offer, update, versionOfPlugin, job } = await withUpdates()
    offer('two', '2.0', 'if ($_SERVER["REQUEST_URI"] === "/shop/?page=2") none();')
    expect((await job((await update({ pages: ['/shop/?page=2'] })).body.job_id)).error).toContain('(/shop/?page=2: PHP')
    expect(versionOfPlugin('two')).toBe('1.0')
  })

  test('a core whose tables cannot be upgraded goes back', async () => {
    const { offerCore, update, coreVersion, job, isThere } = await withUpdates()
    offerCore('6.8', { 'wp-includes/fails': 'x', 'new-file.php': '<?php' })
    const { error } = await job((await update({ core: true })).body.job_id)
    expect(error).toContain('Rolled back: WordPress 6.8 (The site')
    expect(coreVersion()).toContain("'6.7'")
    expect(
      ['.maintenance', 'new-file.php', 'wp-includes/fails', 'wp-config.php'].map((name) => isThere(`${root}/${name}`)),
    ).toEqual([false, false, false, true])
  })

  test('what the source does not offer, or is older, is left alone', async () => {
    const { panel, update, job, offerCore } = await withUpdates()
    offerCore('6.6')
    const reply = await update({ core: 'true', plugins: ['one', 'absent'] })
    const { status, log } = await job(reply.body.job_id)
    expect([status, log]).toEqual([
      'succeeded',
      ['absent is not installed', 'The source does not have one', 'WordPress 6.7 is the newest', '0 updates made'],
    ])
    const other = await update({ core: '9.9' })
    expect((await job(other.body.job_id)).error).toBe('The source does not offer WordPress 9.9.')
    await occurred(panel)
  })

  test('an archive that changed, or has another plugin, changes nothing', async () => {
    const { source, offer, update, versionOfPlugin, job, status, isThere, at } = await withUpdates()
    offer('one', '2.0')
    source.write('plugins/one.2.0.zip', 'something else')
    expect((await job((await update()).body.job_id)).error).toContain('does not have the checksum')
    offer('two', '2.0')
    renameSync(`${source.directory}/plugins/two.2.0.zip`, `${source.directory}/plugins/one.2.0.zip`)
    renameSync(`${source.directory}/plugins/two.2.0.zip.sha256`, `${source.directory}/plugins/one.2.0.zip.sha256`)
    expect((await job((await update()).body.job_id)).error).toBe('The archive of one 2.0 has no one.')
    expect([versionOfPlugin('one'), versionOfPlugin('two'), await status()]).toEqual(['1.0', '1.0', 'active'])
    expect(isThere(`.panel/wordpress/${at.split('/').at(-1)}/new`)).toBe(false)
  })

  test('a link in place of a plugin, or of the directory for old files, leads nowhere else', async () => {
    const { offer, update, place, write, isThere, at, status } = await withUpdates()
    offer('one', '2.0')
    write('other/one.php', 'mine')
    rmSync(place(`${plugins}/one`), { recursive: true })
    write('other/one.php', '<?php\n/* Version: 1.0 */')
    symlinkSync(place('other'), place(`${plugins}/one`))
    await update({ plugins: ['one'] })
    expect(readFileSync(place('other/one.php'), 'utf8')).toContain('1.0')
    mkdirSync(place('.panel/wordpress'), { recursive: true })
    rmSync(place(`.panel/wordpress/${at.split('/').at(-1)}`), { recursive: true, force: true })
    symlinkSync(place('other'), place(`.panel/wordpress/${at.split('/').at(-1)}`))
    offer('two', '2.0')
    await update({ plugins: ['two'] })
    expect([isThere('other/new'), isThere('other/old'), isThere('other/one.php')]).toEqual([false, false, true])
    expect(await status()).toBe('active')
  })

  test('refuses input of other forms', async () => {
    const { panel, at } = await withUpdates()
    const cases: [object, string][] = [
      [{ core: '../6.8' }, 'core'],
      [{ core: false }, 'core'],
      [{ plugins: ['../one'] }, 'plugins'],
      [{ plugins: [] }, 'plugins'],
      [{ plugins: ['.hidden'] }, 'plugins'],
      [{ themes: 'some' }, 'themes'],
      [{ pages: ['http://other.example/'] }, 'pages'],
      [{ pages: ['/a b'] }, 'pages'],
      [{ pages: Array.from({ length: 11 }, () => '/') }, 'pages'],
    ]
    for (const [body, field] of cases) {
      const [status, code, at0] = problem(await panel.post(`${at}/update`, body))
      expect([body, status, code, String(at0).startsWith(field)]).toEqual([body, 400, 'validation', true])
    }
    expect(await occurred(panel)).toEqual(nothing)
  })
})

describe.skipIf(!hasPhp)('undoWordpress', () => {
  const undone = { events: ['job.completed'], jobs: ['wordpress.undo succeeded'] }

  test('brings back what the last update changed, once', async () => {
    const { panel, at, offer, offerCore, update, versionOfPlugin, coreVersion, isThere } = await withUpdates()
    expect(problem(await panel.post(`${at}/undo`))).toEqual([409, 'release-unavailable'])
    offer('one', '2.0')
    offerCore('6.8', { 'new-file.php': '<?php' })
    await update()
    await occurred(panel)
    expect([versionOfPlugin('one'), isThere(`${root}/new-file.php`)]).toEqual(['2.0', true])
    expect((await panel.post(`${at}/undo`)).status).toBe(202)
    expect(await occurred(panel)).toEqual(undone)
    expect([versionOfPlugin('one'), isThere(`${root}/new-file.php`)]).toEqual(['1.0', false])
    expect([coreVersion(), isThere(`.panel/wordpress/${at.split('/').at(-1)}`)]).toEqual([
      expect.stringContaining("'6.7'"),
      false,
    ])
    expect(problem(await panel.post(`${at}/undo`))).toEqual([409, 'release-unavailable'])
  })

  test('that was interrupted loses nothing to the next update', async () => {
    const { panel, at, offer, place, update, versionOfPlugin } = await withUpdates()
    offer('one', '2.0')
    await update()
    await occurred(panel)
    const { sqlite } = panel.store
    const base = `.panel/wordpress/${at.split('/').at(-1)}`
    const [now, staged] = [`${root}/wp-content/plugins/one`, `${base}/new/plugins/one`].map(place)
    mkdirSync(dirname(staged!), { recursive: true })
    renameSync(now!, staged!)
    const items = sqlite.prepare('UPDATE wordpress_updates SET items = replace(items, \'"updated"\', \'"changing"\')')
    await panel.store.change(() => void items.run())
    offer('two', '2.0')
    await update({ plugins: ['two'] })
    await occurred(panel)
    expect([versionOfPlugin('one'), versionOfPlugin('two')]).toEqual(['1.0', '2.0'])
  })

  test('is offered for seven days', async () => {
    const { panel, at, offer, isThere } = await withUpdates()
    offer('one', '2.0')
    await panel.post(`${at}/update`, {})
    await occurred(panel)
    const base = `.panel/wordpress/${at.split('/').at(-1)}`
    expect(isThere(base)).toBe(true)
    const { sqlite } = panel.store
    const expires = sqlite.prepare('SELECT expires_at FROM wordpress_updates').pluck().get() as number
    expect(Math.abs(expires - panel.clock.now() - 7 * day)).toBeLessThan(hour)
    const expire = sqlite.prepare('UPDATE wordpress_updates SET expires_at = ?')
    await panel.store.change(() => void expire.run(panel.clock.now() + 1))
    await panel.clock.advance(1)
    expect(problem(await panel.post(`${at}/undo`))).toEqual([409, 'release-unavailable'])
    await panel.clock.advance(hour)
    const left = sqlite.prepare('SELECT COUNT(*) FROM wordpress_updates').pluck()
    await expect.poll(() => left.get(), { timeout: 20_000 }).toBe(0)
    expect(isThere(base)).toBe(false)
  })
})
