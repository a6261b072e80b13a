import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Reply, startPanel, type TestPanel } from '../harness.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

let panel: TestPanel
let visitor: Visitor
let home: string

beforeEach(async () => {
  panel = await startPanel()
  await panel.account('alice', { password })
  visitor = await new Visitor(panel).signIn('alice')
  home = join(panel.dir, 'host/home/alice')
})

const put = (name: string, content: string | Buffer): void => writeFileSync(join(home, name), content)
const bytes = (name: string): string => readFileSync(join(home, name), 'latin1')
const edited = (name: string): Promise<Reply> => visitor.get(`/user/edit/${name}`)
const audit = (): unknown[] =>
  panel.store.sqlite
    .prepare("SELECT operation FROM audit WHERE via = 'panel' AND operation <> 'signInAnywhere'")
    .pluck()
    .all()

describe('editor', () => {
  test.each([
    ['LF', 'one\ntwo\n'],
    ['CRLF', 'one\r\ntwo\r\n'],
    ['no last newline', 'one\ntwo'],
    ['a first empty line', '\n\none\n'],
    ['a first empty line in CRLF', '\r\none\r\n'],
    ['nothing', ''],
    ['a byte order mark, tabs and markup', '\ufeff\t<b>&amp;"\u001b[31m</textarea><script>\n'],
  ])('preserves the bytes of a file with %s exactly', async (_, text) => {
    put('page.html', text)
    const page = await edited('page.html')
    expect([page.status, page.body.includes('<script>')]).toEqual([200, false])
    const saved = await visitor.submit(page, 'writeFile')
    expect([saved.status, saved.headers.get('location')]).toEqual([303, '/user/edit/page.html?done=writeFile'])
    expect(readFileSync(join(home, 'page.html'), 'utf8')).toBe(text)
    expect(textOf((await visitor.follow(saved)).body)).toContain('Saved.')
  })

  test('saves what was typed with the newlines of the file, as one change', async () => {
    put('page.html', 'one\r\ntwo\r\n')
    const saved = await visitor.submit(await edited('page.html'), 'writeFile', { text: '\r\nthree\r\nfour' })
    expect([saved.status, bytes('page.html')]).toEqual([303, '\r\nthree\r\nfour'])
    put('page.html', 'one\ntwo\n')
    await visitor.submit(await edited('page.html'), 'writeFile', { text: '\r\nthree\r\nfour' })
    expect(bytes('page.html')).toBe('\nthree\nfour')
    expect(panel.events()).toEqual([])
  })

  test('shows both versions of a file changed in between, and saves over the one it showed', async () => {
    put('page.html', 'mine\n')
    const page = await edited('page.html')
    put('page.html', 'of another, and longer\n')
    const refused = await visitor.submit(page, 'writeFile', { text: 'typed here\r\n' })
    expect([refused.status, bytes('page.html')]).toEqual([409, 'of another, and longer\n'])
    expect(textOf(refused.body)).toContain('What is in the file now of another, and longer')
    expect(formIn(refused.body, 'writeFile').fields.get('text')).toBe('typed here\r\n')
    const saved = await visitor.submit(refused, 'writeFile')
    expect([saved.status, bytes('page.html')]).toEqual([303, 'typed here\n'])
  })

  test.each([
    ['Its lines end in different ways.', Buffer.from('␍one\r\ntwo\n')],
    ['It holds NUL bytes.', Buffer.from('one\0two')],
    ['It is not text in UTF-8.', Buffer.from([0x66, 0xfc, 0x72])],
    ['It is larger than 1 MiB.', Buffer.alloc(1024 * 1024 + 1, 'a')],
  ])('shows no field if it could not preserve the bytes: %s', async (why, content) => {
    put('data', content)
    const page = await edited('data')
    expect([page.status, page.body.includes('<textarea')]).toEqual([200, false])
    expect(textOf(page.body)).toContain(`${why} It can be downloaded.`)
    expect(page.body).toContain('href="/user/edit/data?format=file"')
  })

  test('accepts a text of 1 MiB, however long its form is', async () => {
    const text = '\n'.repeat(1024 * 1024)
    put('long', text)
    const saved = await visitor.submit(await edited('long'), 'writeFile')
    expect([saved.status, bytes('long') === text]).toEqual([303, true])
  })

  test('keeps what was typed when the session has expired', async () => {
    put('page.html', 'old')
    const page = await edited('page.html')
    visitor.forget()
    const { action, fields } = formIn(page.body, 'writeFile')
    const refused = await visitor.post(action, new URLSearchParams([...fields]))
    expect([refused.status, bytes('page.html')]).toEqual([401, 'old'])
  })
})

test('a file is always downloaded, never rendered, from any of its pages', async () => {
  put('a.html', '<script>alert(1)</script>')
  const page = await visitor.get('/user/file/a.html')
  expect(page.body).toContain('href="/user/edit/a.html?format=file"')
  const { status, headers, body } = await visitor.get('/user/edit/a.html?format=file')
  expect([status, body]).toEqual([200, '<script>alert(1)</script>'])
  expect(headers.get('content-type')).toBe('application/octet-stream')
  expect(headers.get('content-disposition')).toBe(`attachment; filename="a.html"; filename*=UTF-8''a.html`)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toBe('sandbox')
})

test.each(['file', 'edit'])('the path above a file on its page (%s) links to directories', async (word) => {
  put('tmp/a.html', 'a')
  const { body } = await visitor.get(`/user/${word}/tmp/a.html`)
  const above = [...body.matchAll(/href="(\/user\/(?:files?|edit)\b[^"?]*)"/g)].map(([, href]) => href!)
  expect([...new Set(above)].filter((href) => !href.endsWith('a.html'))).toEqual(['/user/files', '/user/files/tmp'])
})

describe('page of a directory', () => {
  const chosen = async (names: readonly string[], op: string): Promise<Reply> => {
    const page = await visitor.get('/user/files/tmp')
    const fields = new URLSearchParams(formIn(page.body, 'makeDirectory').fields)
    fields.set('do', op)
    fields.set('to', 'tmp/')
    fields.set('format', 'zip')
    for (const name of names) fields.append('_item', Buffer.from(`tmp/${name}`).toString('base64url'))
    return visitor.post('/user/files/tmp', fields)
  }

  beforeEach(() => {
    for (const name of ['one', 'two', 'three']) put(`tmp/${name}`, name)
  })

  test('moves the selection to the trash, each as a change of its own', async () => {
    const requests = await chosen(['one', 'two'], 'deleteFile')
    expect(textOf(requests.body)).toContain('Delete (2)')
    expect(existsSync(join(home, 'tmp/one'))).toBe(true)
    const done = await visitor.submit(requests, 'deleteFile')
    expect(textOf(done.body)).toContain('2 done, 0 refused')
    expect(readdirSync(join(home, 'tmp'))).toEqual(['three'])
    expect(audit()).toEqual(['deleteFile', 'deleteFile'])
  })

  test('moves the selection into another, and reports what was refused', async () => {
    await visitor.submit(await visitor.get('/user/files/tmp'), 'makeDirectory', { path: 'tmp/into' })
    put('tmp/into/two', 'there already')
    const requests = await chosen(['one', 'two'], 'moveFile')
    const done = await visitor.submit(requests, 'moveFile', { to: 'tmp/into' })
    expect(textOf(done.body)).toContain('1 done, 1 refused')
    expect([bytes('tmp/into/one'), bytes('tmp/into/two'), bytes('tmp/two')]).toEqual(['one', 'there already', 'two'])
  })

  test('changes permissions, copies, packs and unpacks the selection', async () => {
    chmodSync(join(home, 'tmp/one'), 0o644)
    await visitor.submit(await chosen(['one', 'two'], 'chmodFile'), 'chmodFile', { mode: '0600' })
    expect([statSync(join(home, 'tmp/one')).mode & 0o777, statSync(join(home, 'tmp/two')).mode & 0o777]).toEqual([
      0o600, 0o600,
    ])
    const requests = await chosen(['one', 'two'], 'archiveFiles')
    expect(formIn(requests.body, 'archiveFiles').fields.get('format') ?? 'zip').toBe('zip')
    const packed = await visitor.submit(requests, 'archiveFiles', { to: 'tmp/both.zip', format: 'zip' })
    expect(textOf(packed.body)).toContain('Being compressed. What was done')
    await panel.settle()
    expect(existsSync(join(home, 'tmp/both.zip'))).toBe(true)
    await visitor.submit(await chosen(['both.zip'], 'extractArchive'), 'extractArchive', { to: 'tmp/out' })
    await panel.settle()
    await visitor.submit(await chosen(['three'], 'copyFile'), 'copyFile', { to: 'tmp/out' })
    await panel.settle()
    expect(readdirSync(join(home, 'tmp/out')).toSorted()).toEqual(['one', 'three', 'two'])
    expect(panel.jobs()).toEqual(['files.archive succeeded', 'files.extract succeeded', 'files.copy succeeded'])
  })

  test('says that nothing was selected', async () => {
    const refused = await chosen([], 'moveFile')
    expect([refused.status, textOf(refused.body).includes('Select at least one row.')]).toEqual([400, true])
  })

  test('shows hostile names as text, and addresses odd ones by their bytes', async () => {
    const hostile = '"><img src=x onerror=alert(1)>\u202e'
    const odd = Buffer.from([0x74, 0x6d, 0x70, 0x2f, 0x66, 0xfc, 0x72])
    put(`tmp/${hostile}`, 'h')
    writeFileSync(Buffer.concat([Buffer.from(`${home}/`), odd]), 'text')
    const list = await visitor.get('/user/files/tmp')
    expect([list.status, list.body.includes('<img')]).toEqual([200, false])
    const path_bytes = odd.toString('base64url')
    const address = list.body.match(/href="(\/user\/file\/[^"]*path_bytes=[^"]*)"/)![1]!
    expect(address).toBe(`/user/file/tmp/f%EF%BF%BDr?path_bytes=${path_bytes}`)
    const file = await visitor.get(address)
    expect(file.status, textOf(file.body)).toBe(200)
    const edit = `/user/edit/tmp/f%EF%BF%BDr?path_bytes=${path_bytes}`
    expect(file.body).toContain(`href="${edit}"`)
    expect(textOf((await visitor.get(edit)).body)).toContain('rename it to edit it. It can be downloaded.')
    expect((await visitor.get(`${edit}&format=file`)).body).toBe('text')
    const shut = await visitor.submit(file, 'chmodFile', { mode: '0600' })
    expect([shut.status, shut.headers.get('location')]).toEqual([303, `${address}&done=chmodFile`])
    const moved = await visitor.submit(file, 'moveFile', { to: 'tmp/plain' })
    expect([moved.status, moved.headers.get('location')]).toEqual([303, '/user/file/tmp/plain?done=moveFile'])
    expect(bytes('tmp/plain')).toBe('text')
  })

  test('shows 200 names, and links to the rest', async () => {
    for (let at = 0; at < 201; at++) put(`tmp/n${String(at).padStart(3, '0')}`, '')
    const first = await visitor.get('/user/files/tmp')
    expect(first.body.match(/name="_item"/g)).toHaveLength(200)
    const [, next] = /href="(\/user\/files\/tmp\?cursor=[^"]+)"/.exec(first.body)!
    expect((await visitor.get(next!)).body.match(/name="_item"/g)).toHaveLength(4)
  })
})

describe('upload without a script', () => {
  const folder = '/user/files/tmp'

  test('writes an upload byte for byte into the directory of its page, under the name that was typed', async () => {
    const bytesOfIt = Buffer.concat([randomBytes(3_000_000), Buffer.from('\r\n--a-boundary\r\n\0')])
    const page = await visitor.get(folder)
    expect(page.body).toContain('enctype="multipart/form-data"')
    const part = { name: '../../sites/evil.php', bytes: bytesOfIt }
    const sent = await visitor.upload(page, 'writeFile', { name: 'logo.bin' }, part)
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${folder}?done=writeFile`])
    expect(readFileSync(join(home, 'tmp/logo.bin')).equals(bytesOfIt)).toBe(true)
    expect(readdirSync(join(home, 'tmp'))).toEqual(['logo.bin'])
    expect([audit(), panel.events()]).toEqual([['writeFile'], []])
  })

  const waiting = async (): Promise<unknown[]> => {
    const [account] = (await panel.get('/accounts')).body.items
    return (await panel.get(`/accounts/${account.id}/uploads`)).body.items
  }

  test('asks before it replaces a file, without sending it again', async () => {
    put('tmp/a', 'old')
    const part = { name: 'a', bytes: Buffer.from('newer') }
    const question = await visitor.upload(await visitor.get(folder), 'writeFile', { name: 'a' }, part)
    expect([question.status, bytes('tmp/a')]).toEqual([409, 'old'])
    expect(textOf(question.body)).toMatch(
      /Replace a\?.*The old file 3 B, .+ The new file 5 B.*Replace.*Keep the old one/,
    )
    const replaced = await visitor.submit(question, 'saveUpload')
    expect([replaced.status, replaced.headers.get('location')]).toEqual([303, `${folder}?done=saveUpload`])
    expect([bytes('tmp/a'), await waiting()]).toEqual(['newer', []])
  })

  test('keeps the old file if that is the answer', async () => {
    put('tmp/a', 'old')
    const part = { name: 'a', bytes: Buffer.from('newer') }
    const question = await visitor.upload(await visitor.get(folder), 'writeFile', { name: 'a' }, part)
    const declined = await visitor.submit(question, 'deleteUpload')
    expect([declined.status, declined.headers.get('location')]).toEqual([303, `${folder}?done=deleteUpload`])
    expect([bytes('tmp/a'), await waiting()]).toEqual(['old', []])
  })

  test('refuses to replace a directory', async () => {
    mkdirSync(join(home, 'tmp/a'))
    const part = { name: 'a', bytes: Buffer.from('new') }
    const refused = await visitor.upload(await visitor.get(folder), 'writeFile', { name: 'a' }, part)
    expect([refused.status, await waiting()]).toEqual([400, []])
    expect(formIn(refused.body, 'writeFile').fields.get('name')).toBe('a')
  })

  test('opens a file in the editor from the list', async () => {
    put('tmp/index.html', '<h1>')
    mkdirSync(join(home, 'tmp/images'))
    const { body } = await visitor.get(folder)
    put('tmp/photo.jpg', 'x')
    expect(body).toMatch(/<a href="\/user\/edit\/tmp\/index.html"><[^>]*>index.html/)
    expect(body).toContain('<a href="/user/file/tmp/index.html">Details</a>')
    expect((await visitor.get(folder)).body).not.toContain('/user/edit/tmp/photo.jpg')
    expect(body).not.toContain('/user/edit/tmp/images')
  })

  test('refuses an upload with everything typed and the error next to it, only in its own form', async () => {
    const typed = { name: '../logo.png' }
    const part = { name: 'a', bytes: Buffer.from('a') }
    const { body } = await visitor.upload(await visitor.get(folder), 'writeFile', typed, part)
    expect(body).toMatch(
      /id="upload-name" [^>]*value="..\/logo.png" [^>]*aria-invalid="true" aria-describedby="upload-name-error"/,
    )
    expect(body).toContain(
      '<p class="error" id="upload-name-error">must be a name without a slash, such as logo.png</p>',
    )
    expect(body).toMatch(/id="new-name" [^>]*value="" /)
    expect(body).not.toContain('new-name-error')
  })

  test.each([
    ['no name', { name: '' }, {}, 400],
    ['a path for a name', { name: '../a' }, {}, 400],
    ['a directory for a name', { name: '..' }, {}, 400],
    ['no file', { name: 'a' }, { name: '' }, 400],
    ['another token', { name: 'a', csrf_token: 'x' }, {}, 403],
    ['fields of more than 64 KiB', { name: 'a', more: 'm'.repeat(65_537) }, {}, 413],
    ['more bytes than fit', { name: 'a' }, { bytes: Buffer.alloc(64 * 1024 * 1024 + 1) }, 413],
  ])('refuses an upload with %s, and leaves nothing', async (_, filled, part, status) => {
    const page = await visitor.get(folder)
    const file = { name: 'a', bytes: Buffer.from('a'), ...part }
    const refused = await visitor.upload(page, 'writeFile', filled, file)
    expect([refused.status, readdirSync(join(home, 'tmp'))]).toEqual([status, []])
    expect(readdirSync(home)).not.toContain('a')
  })

  test('leaves nothing of an upload that is cut off', async () => {
    const part = { name: 'a', bytes: randomBytes(300_000) }
    const refused = await visitor.upload(await visitor.get(folder), 'writeFile', { name: 'a' }, part, 100_000)
    expect([refused.status, readdirSync(join(home, 'tmp'))]).toEqual([400, []])
  })

  test("refuses an upload that exceeds its account's space before it is received", async () => {
    const [account] = (await panel.get('/accounts')).body.items
    await panel.patch(`/accounts/${account.id}`, { disk_quota_mb: 1 })
    await panel.settle()
    panel.forget()
    const part = { name: 'a', bytes: Buffer.alloc(2 * 1024 * 1024) }
    const page = await visitor.get(folder)
    const refused = await visitor.upload(page, 'writeFile', { name: 'a' }, part, 1024 * 1024)
    expect([refused.status, textOf(refused.body).includes('The disk quota is used up.')]).toEqual([409, true])
    expect(formIn(refused.body, 'writeFile').fields.get('name')).toBe('a')
    expect([readdirSync(join(home, 'tmp')), panel.events()]).toEqual([[], []])
    expect(existsSync(join(home, '.panel/work'))).toBe(false)
  })

  test('accepts an upload only on pages of directories, and only with a session', async () => {
    const page = await visitor.get(folder)
    const part = { name: 'a', bytes: Buffer.from('a') }
    const elsewhere = { ...page, body: page.body.replaceAll(`action="${folder}"`, 'action="/user/domains"') }
    expect((await visitor.upload(elsewhere, 'writeFile', { name: 'a' }, part)).status).toBe(415)
    visitor.forget()
    expect((await visitor.upload(page, 'writeFile', { name: 'a' }, part)).status).toBe(401)
    expect(readdirSync(join(home, 'tmp'))).toEqual([])
  })
})

test('a time that no date can have, which an owner wrote into the trash, is shown as the last one', async () => {
  const item = join(home, '.trash', '0'.repeat(26))
  mkdirSync(item, { recursive: true })
  writeFileSync(join(item, 'item'), '')
  const about = { path: 'L3g=', type: 'file', size: 0, deletedAt: Number.MAX_SAFE_INTEGER }
  writeFileSync(join(item, 'about.json'), JSON.stringify(about))
  const page = await visitor.get('/user/trash')
  expect([page.status, page.body.includes('+275760-09-13T00:00:00.000Z')]).toEqual([200, true])
})
