import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { spoolToDisk } from '../../src/web/forms/spool.ts'

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-aside-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

const chunks = (...texts: string[]) => Readable.from(texts.map((text) => Buffer.from(text)))

test('a file is held without a name until it is released, with all of its bytes', async () => {
  const dir = directory()
  const spooled = await spoolToDisk(chunks('one ', '', 'two'), dir, 'alice')
  expect([spooled.size, readdirSync(dir)]).toEqual([7, []])
  expect(Buffer.concat(await spooled.bytes().toArray()).toString()).toBe('one two')
  await spooled.end()
})

test('one file is held per account, four in total, and a refused one takes no slot', async () => {
  const dir = directory()
  const put = (account: string) => spoolToDisk(chunks(account), dir, account)
  const asides = [await put('alice')]
  await expect(put('alice')).rejects.toMatchObject({ code: 'overloaded', headers: { 'Retry-After': '1' } })
  for (const account of ['bob', 'carol', 'dave']) asides.push(await put(account))
  await expect(put('erin')).rejects.toMatchObject({ code: 'overloaded' })
  await asides[0]!.end()
  asides[0] = await put('erin')
  for (const spooled of asides) await spooled.end()
  await (await put('alice')).end()
})

test.each(['ENOSPC', 'EDQUOT'])('a full disk is reported (%s), and what failed takes no slot', async (code) => {
  const dir = directory()
  const full = () => Promise.reject(Object.assign(new Error('full'), { code }))
  for (let at = 0; at < 5; at++)
    await expect(
      spoolToDisk(Readable.from({ [Symbol.asyncIterator]: () => ({ next: full }) }), dir, 'alice'),
    ).rejects.toMatchObject({
      code: 'storage-full',
      status: 507,
    })
  expect(readdirSync(dir)).toEqual([])
})
