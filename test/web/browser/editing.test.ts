import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cpmove } from '../../imports/archives.ts'
import { onFailPoint } from './axe.ts'
import { type Browser, executablePath, password, signIn } from './browser.ts'
import { type Site, startSite } from './site.ts'

describe.skipIf(!executablePath)('drafts in a real browser', () => {
  let site: Site
  let browser: Browser
  let home: string
  beforeAll(async () => {
    site = await startSite()
    home = join(site.server.dir, 'host/home/alice')
  }, 60_000)
  afterAll(() => site?.end())
  beforeEach(async () => {
    browser = await site.open('user')
  }, 60_000)
  afterEach(() => browser?.close())

  const endSessions = () => site.make('POST', `/accounts/${site.account}/password`, { new_password: password })

  async function signInElsewhere(context: BrowserContext): Promise<void> {
    const tab = await context.newPage()
    await tab.goto(`${site.origin}/user/login`)
    await signIn(tab, 'alice')
    await tab.waitForURL(`${site.origin}/user/`)
    await tab.close()
  }

  const save = (page: Page) => page.locator('main button.main', { hasText: 'Save' }).first().click()

  test('a preset keeps what was typed into other fields, also when another one is chosen', async () => {
    const { page, complaints } = browser
    await page.goto(`${site.origin}/user/cron/new`)
    const value = (name: string) => page.locator(`#form-createCronJob [name=${name}]`).inputValue()
    await page.locator('[name=command]').fill('php cron.php & echo "é"')
    const presets = page.locator('a[data-preset]')
    for (const place of [0, 1]) {
      const link = presets.nth(place)
      const { schedule } = Object.fromEntries(new URL((await link.getAttribute('href'))!, site.origin).searchParams)
      await link.click()
      await page.locator(`a[data-preset][aria-current]`).waitFor()
      expect([await value('schedule'), await value('command')]).toEqual([schedule, 'php cron.php & echo "é"'])
      expect(await page.locator('[name=enabled][type=checkbox]').isChecked()).toBe(true)
      expect(page.url()).not.toMatch(/csrf|_key/)
    }
    expect(complaints).toEqual([])
  })

  test('saves a cron job once after its session ended: 401 with all that was typed, sign in in another tab, filled form', async () => {
    const { page, context, complaints } = browser
    await page.goto(`${site.origin}/user/cron/new`)
    await page.locator('[name=schedule]').fill('@weekly')
    await page.locator('[name=command]').fill('echo "a  b" \\ > /dev/null')
    await endSessions()
    const [refused] = await Promise.all([
      page.waitForResponse((one) => one.request().method() === 'POST'),
      page.locator('main button.main').click(),
    ])
    expect(refused.status()).toBe(401)
    expect(await page.locator('[name=command]').inputValue()).toBe('echo "a  b" \\ > /dev/null')
    await signInElsewhere(context)
    await save(page)
    await page.getByText('Check it and save.').waitFor()
    expect(await page.locator('[name=command]').inputValue()).toBe('echo "a  b" \\ > /dev/null')
    await page.locator('main button.main').click()
    await page.locator('#done', { hasText: 'Cron job created.' }).waitFor()
    const { items } = (await site.server.send('GET', `/accounts/${site.account}/cron/jobs`)).body
    expect(items.filter(({ schedule }: { schedule: string }) => schedule === '@weekly')).toHaveLength(1)
    expect(complaints).toEqual([])
  }, 60_000)

  test.each([
    ['LF', '\n', ''],
    ['CRLF', '\r\n', ''],
    ['a first empty line and no last newline', '\n', '\n'],
  ])(
    'restores the draft of a 300 KiB file after signing in again, with exact bytes: %s',
    async (_, newline, first) => {
      const { page, complaints } = browser
      const lines = Array.from({ length: 6_000 }, (_, at) => `line ${at} ${'x'.repeat(40)}`)
      const text = first + lines.join(newline) + (first === '' ? newline : '')
      writeFileSync(join(home, 'long.txt'), text)
      await page.goto(`${site.origin}/user/edit/long.txt`)
      await page.locator('#text').press('Control+End')
      await page.keyboard.type('typed')
      await endSessions()
      await save(page)
      await page.getByText('too long to be shown here').waitFor()
      expect(readFileSync(join(home, 'long.txt'), 'utf8')).toBe(text)
      await page.getByRole('link', { name: 'open the page again' }).click()
      await signIn(page, 'alice')
      await page.locator('[data-drafted]').waitFor()
      expect((await page.locator('#text').inputValue()).endsWith('typed')).toBe(true)
      await save(page)
      await page.locator('#done', { hasText: 'Saved.' }).waitFor()
      expect(readFileSync(join(home, 'long.txt'), 'utf8') === `${text}typed`).toBe(true)
      expect(await page.locator('[data-drafted]').isHidden()).toBe(true)
      expect(await page.evaluate('sessionStorage.length')).toBe(0)
      expect(complaints).toEqual([])
    },
    60_000,
  )

  test('a draft is discarded with one press, and of a file changed by another both versions are shown', async () => {
    const { page } = browser
    writeFileSync(join(home, 'page.txt'), 'one\n')
    await page.goto(`${site.origin}/user/edit/page.txt`)
    await page.locator('#text').fill('typed\n')
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(1)
    writeFileSync(join(home, 'page.txt'), 'of another\n')
    await page.goto(`${site.origin}/user/edit/page.txt`)
    expect(await page.locator('#text').inputValue()).toBe('typed\n')
    await save(page)
    await page.getByText('What is in the file now').waitFor()
    expect(readFileSync(join(home, 'page.txt'), 'utf8')).toBe('of another\n')
    await page.goto(`${site.origin}/user/edit/page.txt`)
    await page.getByRole('button', { name: 'Discard it' }).click()
    expect(await page.locator('#text').inputValue()).toBe('of another\n')
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  }, 60_000)

  test('numbers the lines of a file, follows what is typed and scrolled, and stays out of the text', async () => {
    const { page, complaints } = browser
    writeFileSync(join(home, 'lines.txt'), `${'line\n'.repeat(100)}last`)
    await page.goto(`${site.origin}/user/edit/lines.txt`)
    const numbers = page.locator('.lined > pre')
    await expect.poll(async () => (await numbers.textContent())?.split('\n').at(-1)).toBe('101')
    await page.locator('#text').press('Control+End')
    await page.keyboard.press('Enter')
    expect((await numbers.textContent())?.split('\n').at(-1)).toBe('102')
    const scrolled = "[...document.querySelectorAll('.lined > *')].map(({ scrollTop }) => scrollTop)"
    await expect.poll(() => page.evaluate(`new Set(${scrolled}).size`)).toBe(1)
    expect(await page.evaluate(`${scrolled}[0]`)).toBeGreaterThan(0)
    await save(page)
    await expect.poll(() => readFileSync(join(home, 'lines.txt'), 'utf8')).toBe(`${'line\n'.repeat(100)}last\n`)
    expect(complaints).toEqual([])
  }, 60_000)

  test('what is typed after Save survives a reload', async () => {
    const { page } = browser
    writeFileSync(join(home, 'on.txt'), 'one\n')
    await page.goto(`${site.origin}/user/edit/on.txt`)
    await page.locator('#text').fill('two\n')
    await save(page)
    await page.locator('#done', { hasText: 'Saved.' }).waitFor()
    await page.locator('#text').fill('three\n')
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(1)
    await page.reload()
    await page.locator('[data-drafted]').waitFor()
    expect(await page.locator('#text').inputValue()).toBe('three\n')
    await save(page)
    await expect.poll(() => readFileSync(join(home, 'on.txt'), 'utf8')).toBe('three\n')
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(0)
  }, 60_000)

  test('a draft is shown only for its own account, even in the same tab', async () => {
    const { page, context } = browser
    await site.make('POST', '/accounts', { username: 'bob', domain: 'bob.example', password })
    await expect.poll(() => existsSync(join(home, '../bob'))).toBe(true)
    for (const [name, folder] of [
      ['alice', home],
      ['bob', join(home, '../bob')],
    ] as const)
      writeFileSync(join(folder, 'same.txt'), `${name}\n`)
    const address = `${site.origin}/user/edit/same.txt`
    await page.goto(address)
    await page.locator('#text').fill('typed by alice\n')
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(1)
    for (const [name, text] of [
      ['bob', 'bob\n'],
      ['alice', 'typed by alice\n'],
    ] as const) {
      await context.clearCookies()
      await page.goto(address)
      await signIn(page, name)
      await page.waitForURL(address)
      await page.waitForLoadState('networkidle')
      expect([name, await page.locator('#text').inputValue()]).toEqual([name, text])
    }
  }, 60_000)

  test('Tab leaves the editor, and indents only after that is switched on', async () => {
    const { page } = browser
    writeFileSync(join(home, 'tabs.txt'), 'one\n')
    await page.goto(`${site.origin}/user/edit/tabs.txt`)
    const area = page.locator('#text')
    await area.press('Control+Home')
    await area.press('Tab')
    expect([await area.inputValue(), await page.evaluate('document.activeElement.tagName')]).toEqual([
      'one\n',
      'BUTTON',
    ])
    await page.getByLabel('Tab indents').check()
    await area.press('Control+Home')
    await area.press('Tab')
    expect(await area.inputValue()).toBe('\tone\n')
    await save(page)
    await page.locator('#done', { hasText: 'Saved.' }).waitFor()
    expect(readFileSync(join(home, 'tabs.txt'), 'utf8')).toBe('\tone\n')
  }, 60_000)

  test('the text of a zone is compared, kept as a draft, and the draft is gone once it is saved', async () => {
    const { page, complaints } = browser
    const address = `${site.origin}/user/dns/alice.example/text`
    await page.goto(address)
    await page.locator('#zone_file').press('Control+End')
    await page.keyboard.type('shop IN A 192.0.2.9\n')
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(1)
    await page.goto(address)
    await page.locator('[data-drafted]').waitFor()
    await page.getByRole('button', { name: 'Show what will change' }).click()
    await page.getByText('1 record will change.').waitFor()
    await page.getByRole('button', { name: 'Save 1 change' }).click()
    await page.locator('#done', { hasText: 'Zone saved.' }).waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.goto(`${site.origin}/user/dns/alice.example?q=shop`)
    await page.getByRole('cell', { name: '192.0.2.9' }).waitFor()
    expect(complaints).toEqual([])
  }, 60_000)

  test('axe finds nothing on pages that show, compare, send or are about to lose what was typed', async () => {
    const { page, context } = browser
    const wrong: string[] = []
    const check = async (where: string): Promise<void> => {
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [320, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        wrong.push(...(await onFailPoint(page)).map((error) => `${where}: ${error}`))
        const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        if (wide !== 0) wrong.push(`${where}: ${wide} px too wide at ${width}`)
      }
      await page.setViewportSize({ width: 1280, height: 800 })
    }
    await page.goto(`${site.origin}/user/dns/alice.example/text`)
    await page.locator('#zone_file').press('Control+End')
    await page.keyboard.type('axe IN TXT "as one can read"\n')
    await page.getByRole('button', { name: 'Show what will change' }).click()
    await page.getByRole('button', { name: 'Save 1 change' }).waitFor()
    await check('the difference of a zone')
    writeFileSync(join(home, 'axe.txt'), 'one\n')
    await page.goto(`${site.origin}/user/edit/axe.txt`)
    await page.locator('#text').fill('two\n')
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(2)
    await page.reload()
    await page.locator('[data-drafted]').waitFor()
    await check('a draft')
    await page.goto(`${site.origin}/user/files`)
    await upload(page, 'axe.txt', Buffer.from('there already'))
    await page.locator('form[data-upload] li', { hasText: 'already a file' }).waitFor()
    await page.evaluate("document.querySelector('[data-session]').hidden = false")
    await check('an upload and the notice before the end')
    const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await page.getByRole('button', { name: 'Keep the old one' }).click()
    await deleted
    await page.goto(`${site.origin}/user/cron/new`)
    await page.locator('[name=command]').fill('true')
    await endSessions()
    await page.locator('main button.main').click()
    await page.getByText('Your session has ended').first().waitFor()
    await check('a form whose session has ended')
    expect(wrong).toEqual([])
    await context.clearCookies()
  }, 60_000)

  test('a notice appears five minutes before the end, and Stay signed in removes it', async () => {
    const { page } = browser
    await page.clock.install()
    await page.goto(`${site.origin}/user/`)
    const notice = page.locator('[data-session]')
    await page.clock.runFor(54 * 60_000)
    expect(await notice.isHidden()).toBe(true)
    await page.clock.runFor(60_000)
    expect(await notice.isVisible()).toBe(true)
    await page.setViewportSize({ width: 1280, height: 300 })
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    const { y } = (await notice.boundingBox())!
    expect(y).toBeGreaterThanOrEqual(0)
    expect(y).toBeLessThan(300)
    await page.getByRole('button', { name: 'Stay signed in' }).click()
    await notice.waitFor({ state: 'hidden' })
  }, 60_000)

  const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
  const upload = async (page: Page, name: string, buffer: Buffer): Promise<void> => {
    await page.locator('#upload-file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
  }

  test('uploads in two tabs into two folders at once, one cut and resumed: each file in its own folder, sha256 equal', async () => {
    const { page, context, complaints } = browser
    for (const name of ['one', 'two']) mkdirSync(join(home, name), { recursive: true })
    const other = await context.newPage()
    await page.goto(`${site.origin}/user/files/one`)
    await other.goto(`${site.origin}/user/files/two`)
    let cut = 0
    await page.route(/\/uploads\/\w+\?offset=[1-9]/, (route) => (cut++ === 0 ? route.abort() : route.continue()))
    const [first, second] = [randomBytes(9 * 1024 * 1024 + 1), randomBytes(1024 * 1024)]
    await Promise.all([upload(page, 'a.bin', first), upload(other, 'a.bin', second)])
    for (const tab of [page, other]) await tab.locator('#done', { hasText: 'Uploaded.' }).waitFor({ timeout: 40_000 })
    expect(cut).toBeGreaterThan(1)
    expect(sha256(readFileSync(join(home, 'one/a.bin')))).toBe(sha256(first))
    expect(sha256(readFileSync(join(home, 'two/a.bin')))).toBe(sha256(second))
    expect((await site.server.send('GET', `/accounts/${site.account}/uploads`)).body.items).toEqual([])
    expect(complaints).toEqual([])
  }, 60_000)

  const partSize = 8 * 1024 * 1024

  test('an upload interrupted by a reload resumes once the same file is chosen, in its own folder', async () => {
    const { page, complaints } = browser
    for (const name of ['cut', 'other']) mkdirSync(join(home, name), { recursive: true })
    const [file, bytes] = [join(site.server.dir, 'film.bin'), randomBytes(partSize + 1)]
    writeFileSync(file, bytes)
    const sent: string[] = []
    page.on('request', (one) => void (one.method() === 'PATCH' && sent.push(new URL(one.url()).search)))
    const begin = async (at: string): Promise<void> => {
      await page.goto(`${site.origin}/user/files/${at}`)
      await page.locator('#upload-file').setInputFiles(file)
    }
    const uploads = async () => (await site.server.send('GET', `/accounts/${site.account}/uploads`)).body.items
    const [inUse, hold] = [/\/uploads\/\w+\?offset=[1-9]/, () => undefined]
    await page.route(inUse, hold)
    await Promise.all([page.waitForRequest(inUse), begin('cut')])
    expect(await uploads()).toMatchObject([{ offset: partSize, size: bytes.length }])
    await page.reload()
    await page.unroute(inUse, hold)
    await begin('other')
    await page.locator('#done', { hasText: 'Uploaded.' }).waitFor()
    await begin('cut')
    await page.locator('#done', { hasText: 'Uploaded.' }).waitFor()
    const [first, rest] = ['?offset=0', `?offset=${partSize}`]
    expect(sent).toEqual([first, rest, first, rest, rest])
    for (const name of ['cut', 'other']) expect(sha256(readFileSync(join(home, name, 'film.bin')))).toBe(sha256(bytes))
    expect([await uploads(), complaints]).toEqual([[], []])
  }, 60_000)

  test('an archive of an import stays named beside its field once it is uploaded, and is sent once', async () => {
    const admin = await site.open('admin')
    try {
      const { page, complaints } = admin
      await page.goto(`${site.origin}/admin/imports/new`)
      const field = page.locator('input[type=file]')
      await field.setInputFiles({ name: 'alice.tar.gz', mimeType: 'application/gzip', buffer: cpmove() })
      await page.getByText('Uploaded.').waitFor()
      expect(await page.locator('progress').count()).toBe(0)
      expect(await field.inputValue()).toMatch(/alice\.tar\.gz$/)
      const names = await page.evaluate<string[]>(
        "[...new FormData(document.getElementById('form-createImport')).keys()]",
      )
      expect([names.includes('file'), names.includes('upload_id')]).toEqual([false, true])
      await page.getByRole('button', { name: 'Read the archive' }).click()
      await page.waitForURL(/\/admin\/imports\/[0-9A-Z]{26}/)
      expect(complaints).toEqual([])
    } finally {
      await admin.close()
    }
  }, 60_000)

  test('several files at once keep their names, and existing ones are replaced only on request', async () => {
    const { page } = browser
    mkdirSync(join(home, 'three'), { recursive: true })
    writeFileSync(join(home, 'three/b'), 'old')
    await page.goto(`${site.origin}/user/files/three`)
    const files = ['a', 'b', 'c ü'].map((name) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(`new ${name}`),
    }))
    await page
      .locator('#upload-file')
      .setInputFiles([...files, { ...files[0]!, name: 'empty', buffer: Buffer.alloc(0) }])
    await page.locator('form[data-upload] li', { hasText: 'already a file' }).waitFor()
    for (const name of ['a', 'c ü', 'empty'])
      await page.locator('form[data-upload] li', { hasText: new RegExp(`^${name} .*Uploaded`) }).waitFor()
    expect(['a', 'b', 'c ü', 'empty'].map((name) => readFileSync(join(home, 'three', name), 'utf8'))).toEqual([
      'new a',
      'old',
      'new c ü',
      '',
    ])
    const keep = page.getByRole('button', { name: 'Keep the old one' })
    await keep.click()
    // The question goes once what was received is deleted.
    await keep.waitFor({ state: 'hidden' })
    await page.locator('form[data-upload] li', { hasText: /^b .*already a file/ }).waitFor()
    expect(readFileSync(join(home, 'three/b'), 'utf8')).toBe('old')
    await page.locator('#upload-file').setInputFiles([files[1]!])
    await page.getByRole('button', { name: 'Replace', exact: true }).click()
    await page.locator('form[data-upload] li:last-child', { hasText: /^b .*Uploaded/ }).waitFor()
    expect(readFileSync(join(home, 'three/b'), 'utf8')).toBe('new b')
    const { items } = (await site.server.send('GET', `/accounts/${site.account}/uploads`)).body
    expect(items.filter(({ name }: { name: string }) => name.startsWith('three/'))).toEqual([])
  }, 60_000)

  test('a download of `a.html` is saved, never rendered', async () => {
    const { page } = browser
    writeFileSync(join(home, 'a.html'), '<script>document.title = "ran"</script>')
    await page.goto(`${site.origin}/user/file/a.html`)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).first().click(),
    ])
    expect([saved.suggestedFilename(), page.url()]).toEqual(['a.html', `${site.origin}/user/file/a.html`])
    expect(readFileSync(await saved.path(), 'utf8')).toContain('ran')
    expect(await page.title()).not.toBe('ran')
  }, 60_000)

  test('uploads a file and makes a new one from /user/files with JavaScript off', async () => {
    const plain = await site.open('user', { javaScriptEnabled: false })
    try {
      const { page } = plain
      await page.goto(`${site.origin}/user/files`)
      await page.getByText('Upload a file').click()
      await page.locator('#upload-name').fill('logo.bin')
      await page
        .locator('#upload-file')
        .setInputFiles({ name: 'x', mimeType: 'image/png', buffer: Buffer.from('logo') })
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.locator('#done', { hasText: 'Uploaded.' }).waitFor()
      expect(readFileSync(join(home, 'logo.bin'), 'utf8')).toBe('logo')
      await page.getByText('New file').click()
      await page.locator('#new-name').fill('new.txt')
      await page.getByRole('button', { name: 'Make the file' }).click()
      expect(page.url()).toBe(`${site.origin}/user/edit/new.txt?done=writeFile`)
      await page.locator('#text').fill('\none\n')
      await save(page)
      await page.locator('#done', { hasText: 'Saved.' }).waitFor()
      expect(readFileSync(join(home, 'new.txt'), 'utf8')).toBe('\none\n')
      await page.goto(`${site.origin}/user/files`)
      await page.getByText('New file').click()
      await page.locator('#new-name').fill('new.txt')
      await page.getByRole('button', { name: 'Make the file' }).click()
      expect(await page.locator('[role=alert]').innerText()).toContain('already a file')
      expect(existsSync(join(home, 'new.txt'))).toBe(true)
    } finally {
      await plain.close()
    }
  }, 60_000)
})
