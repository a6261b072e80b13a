import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TestPanel } from '../harness.ts'
import { events, filesBelow, nothing, received, withHome } from './fixtures.ts'

const digestOf = (bytes: Buffer): string => `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`

/** The response with its raw bytes; for the caller, or over the local socket as root. */
async function bytesAt(panel: TestPanel, path: string, headers: Record<string, string> = {}) {
  const url = `https://host.example:7711/api/v1${path}`
  const answer = await panel.panel.app.fetch(new Request(url, { headers }), { local: true, address: '192.0.2.1' })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

async function withBackup() {
  const input = await withHome()
  const backup = await input.made()
  const path = `${input.path}/${backup.id}/download`
  const stored = (name: string): Buffer => readFileSync(join(input.folder, backup.id, name))
  input.panel.forget()
  const get = (query = '', headers = {}) => bytesAt(input.panel, `${path}${query}`, headers)
  return { ...input, backup, download: path, stored, bytes: get }
}

test('a part is sent as stored, with its identity, and leaves no trace', async () => {
  const { panel, backup, stored, bytes } = await withBackup()
  for (const [part, name] of [
    ['files', 'files.tar.zst'],
    ['mail', 'mail.tar.zst'],
    ['config', 'account.json'],
  ]) {
    const answer = await bytes(`?part=${part}`)
    expect([part, answer.status, answer.bytes.equals(stored(name!))]).toEqual([part, 200, true])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(answer.bytes.length),
      'content-disposition': `attachment; filename="alice-${backup.id}-${name}"; filename*=UTF-8''alice-${backup.id}-${name}`,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'repr-digest': digestOf(answer.bytes),
    })
  }
  const audit = (await panel.get('/audit?operation=downloadBackup')).body
  expect([await events(panel), audit.total ?? audit.items?.length]).toEqual([nothing, 0])
})

test('a range returns bytes of the part, and its digest covers the whole part', async () => {
  const { stored, bytes } = await withBackup()
  const full = stored('files.tar.zst')
  const { headers } = await bytes('?part=files')
  const slice = async (range: string, more = {}) => {
    const answer = await bytes('?part=files', { Range: range, ...more })
    return [answer.status, answer.bytes, answer.headers.get('content-range'), answer.headers.get('repr-digest')]
  }
  const [size, digest] = [full.length, digestOf(full)]
  expect(await slice('bytes=100-299')).toEqual([206, full.subarray(100, 300), `bytes 100-299/${size}`, digest])
  expect(await slice('bytes=-9')).toEqual([206, full.subarray(-9), `bytes ${size - 9}-${size - 1}/${size}`, digest])
  expect(await slice('bytes=5-', { 'If-Range': headers.get('etag') })).toEqual([
    206,
    full.subarray(5),
    `bytes 5-${size - 1}/${size}`,
    digest,
  ])
  expect(await slice('bytes=5-', { 'If-Range': '"other"' })).toEqual([200, full, null, digest])
  expect((await bytes('?part=files', { Range: `bytes=${size}-` })).status).toBe(416)
})

test('the tar of all parts unpacks to the backup itself; a range is ignored', async () => {
  const { panel, backup, folder, bytes } = await withBackup()
  const answer = await bytes('', { Range: 'bytes=0-9' })
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
    200,
    `attachment; filename="alice-${backup.id}.tar"; filename*=UTF-8''alice-${backup.id}.tar`,
  ])
  expect([answer.headers.get('accept-ranges'), answer.headers.get('repr-digest')]).toEqual(['none', null])
  expect(answer.headers.get('content-length')).toBe(String(answer.bytes.length))
  const out = join(panel.dir, 'out')
  mkdirSync(out)
  execFileSync('tar', ['-xf', '-', '-C', out], { input: answer.bytes })
  execFileSync('diff', ['-r', join(folder, backup.id), out])
})

test('the part dns is a tar of its zones, identical each time, and supports ranges', async () => {
  const { panel, alice, backup, made, path } = await withBackup()
  await panel.post(`/accounts/${alice.id}/domains`, { name: `${'long-'.repeat(11)}x.${'l'.repeat(60)}.example` })
  await panel.settle()
  const { id } = await made({ parts: ['dns'] })
  const at = `${path}/${id}/download?part=dns`
  const full = await bytesAt(panel, at)
  const out = join(panel.dir, 'zones')
  mkdirSync(out)
  execFileSync('tar', ['-xf', '-', '-C', out], { input: full.bytes })
  execFileSync('diff', ['-r', join(panel.dir, 'backups', alice.id, id, 'dns'), join(out, 'dns')])
  expect(filesBelow(out)).toHaveLength(2)
  expect(full.headers.get('repr-digest')).toBe(digestOf(full.bytes))
  const part = await bytesAt(panel, at, { Range: 'bytes=500-2999' })
  expect([part.status, part.bytes]).toEqual([206, full.bytes.subarray(500, 3_000)])
  expect(backup.id).not.toBe(id)
})

test('does not send what was not saved or has changed since', async () => {
  const { panel, backup, path, download, folder } = await withBackup()
  const { id } = (await panel.post(path, { parts: ['config'] })).body.backup
  expect(received(await panel.get(`${path}/${id}/download`))).toBe('409 incomplete')
  await panel.settle()
  expect(received(await panel.get(`${path}/${id}/download?part=files`))).toBe('409 incomplete')
  expect(received(await panel.get(`${download}?part=mysql`))).toBe('409 incomplete')
  expect(received(await panel.get(`${download}?part=all`))).toBe('400 validation part')
  truncateSync(join(folder, backup.id, 'mail.tar.zst'), 10)
  const answers = [await panel.get(download), await panel.get(`${download}?part=mail`)]
  expect(answers.map(received)).toEqual(['409 incomplete', '409 incomplete'])
  expect(answers[0]!.body.detail).toMatch(/^The backup is damaged: mail\.tar\.zst has 10 bytes, not \d+\.$/)
  expect((await panel.get(`${download}?part=files`)).status).toBe(200)
  writeFileSync(join(folder, backup.id, 'manifest.json'), '{}')
  expect(received(await panel.get(`${download}?part=files`))).toBe('409 incomplete')
})

test('a read-only token is refused', async () => {
  const { panel, alice, download } = await withBackup()
  const reads = await panel.token(['account:read'], { account: alice.id })
  const writes = await panel.token(['account:write'], { account: alice.id })
  expect(received(await panel.get(download, { token: reads }))).toBe('403 token-scope')
  expect((await panel.get(download, { token: writes })).status).toBe(200)
})

test('a backup cannot be deleted while it is downloaded; afterwards it can', async () => {
  const { panel, home, made, path } = await withBackup()
  writeFileSync(join(home, 'sites/noise'), randomBytes(3_000_000))
  const { id } = await made({ parts: ['files'] })
  const url = `https://host.example:7711/api/v1${path}/${id}/download`
  const answer = await panel.panel.app.fetch(new Request(url), { local: true, address: '192.0.2.1' })
  const reader = answer.body!.getReader()
  await reader.read()
  panel.forget()
  expect(received(await panel.delete(`${path}/${id}`))).toBe('409 busy')
  expect(await events(panel)).toEqual(nothing)
  await reader.cancel()
  await expect.poll(async () => (await panel.delete(`${path}/${id}`)).status).toBe(202)
  expect(await events(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.delete succeeded'] })
})
