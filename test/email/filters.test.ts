import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { accepted, nothing, occurred, problem, withMail } from './fixtures.ts'

const boss = {
  name: 'Boss',
  when: [{ field: 'from', test: 'contains', value: 'boss@ext.example' }],
  then: [
    { action: 'move', folder: 'Work/Boss' },
    { action: 'mark', as: 'flagged' },
  ],
  stop: true,
}
const big = {
  name: 'Big',
  match: 'any',
  when: [
    { field: 'size', test: 'over', value: 5_000_000 },
    { field: 'header', name: 'X-Big', test: 'is', value: 'yes' },
  ],
  then: [
    { action: 'copy', folder: 'Big' },
    { action: 'forward', address: 'Bob@EXT.example' },
  ],
}
const stored = (filter: Json) => JSON.parse(JSON.stringify(filter).replace('EXT', 'ext')) as Json

test('filters of a mailbox become a script that answers first and then filters', async () => {
  const { panel, read, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const path = `${box.path}/filters`
  const script = `etc/panel/mail/sieve.d/alice/${box.id}.sieve`
  expect((await panel.get(path)).body).toEqual({ items: [] })
  const set = accepted(await panel.put(path, { items: [boss, big] }))
  expect(set.mailbox.address).toBe('info@alice.example')
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.account.update succeeded'] })
  expect((await panel.get(path)).body).toEqual({ items: [boss, stored(big)] })
  expect(read(script)).toBe(`require ["copy","fileinto","imap4flags","mailbox"];
if allof (address :all :contains ["From"] "boss@ext.example") {
addflag "\\\\Flagged";
fileinto :create "Work.Boss";
stop;
}
if anyof (size :over 5000000, header :is ["X-Big"] "yes") {
fileinto :copy :create "Big";
redirect :copy "Bob@ext.example";
}
`)
  expect(read('etc/panel/mail/passwd.d/alice.example')).toContain(`userdb_sieve_before=/${script}`)
  accepted(await panel.put(`${box.path}/autoresponder`, { subject: 'Away', body: 'Soon' }))
  await panel.settle()
  expect(read(script)).toMatch(
    /^require \["copy","fileinto","imap4flags","mailbox","vacation"\];\nvacation .*\nif allof/,
  )
  accepted(await panel.put(path, { items: [] }))
  await panel.settle()
  expect(read(script)).toMatch(/^require \["vacation"\];\nvacation /)
  await panel.post(`/accounts/${(await panel.get('/accounts')).body.items[0].id}/suspend`, { reason: 'x' })
  await panel.settle()
  expect(read(script)).toBe('')
})

test('what a filter cannot express is refused, each fault with its item', async () => {
  const { panel, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  const put = (items: unknown) => panel.put(`${box.path}/filters`, { items })
  const condition = (fields: object) => [{ ...boss, when: [{ ...boss.when[0], ...fields }] }]
  const action = (fields: object) => [{ ...boss, then: [fields] }]
  for (const items of [
    condition({ value: 'a\nb' }),
    condition({ value: '' }),
    condition({ field: 'header' }),
    condition({ field: 'header', name: 'X Y' }),
    condition({ field: 'header', name: 'X:"' }),
    condition({ field: 'size' }),
    condition({ test: 'over' }),
    action({ action: 'move' }),
    action({ action: 'move', folder: '../x' }),
    action({ action: 'move', folder: 'a//b' }),
    action({ action: 'move', folder: 'a"b' }),
    action({ action: 'move', folder: 'ä'.repeat(128) }),
    action({ action: 'forward', address: 'x' }),
    action({ action: 'forward', address: 'discard' }),
    action({ action: 'forward', address: 'info@alice.example' }),
    action({ action: 'pipe', program: '/bin/sh' }),
    [{ ...boss, when: [] }],
    [{ ...boss, then: [] }],
    [{ ...boss, name: 'a\u0000b' }],
    [{ ...boss, then: [1, 2, 3, 4, 5].map((n) => ({ action: 'forward', address: `b${n}@ext.example` })) }],
    Array.from({ length: 101 }, () => boss),
  ]) {
    const [status, code, field] = problem(await put(items))
    expect([status, code, String(field).split(/[.[]/)[0]], JSON.stringify(items)).toEqual([400, 'validation', 'items'])
  }
  const { fields } = (
    await put([
      boss,
      ...action({ action: 'forward', address: 'x' }),
      ...action({ action: 'forward', address: 'info@alice.example' }),
    ])
  ).body
  expect(fields.items).toBe(
    'item 2: the address must be one such as bob@shop.example; item 3: must not forward to info@alice.example itself',
  )
  expect(await occurred(panel)).toEqual(nothing)
  expect((await panel.get(`${box.path}/filters`)).body).toEqual({ items: [] })
})

test('filters need their feature, and can be read and backed up without it', async () => {
  const { panel, mailbox } = await withMail()
  const box = await mailbox('info@alice.example')
  accepted(await panel.put(`${box.path}/filters`, { items: [boss] }))
  await panel.settle()
  const [list] = (await panel.get('/feature-lists')).body.items
  await panel.patch(`/feature-lists/${list.id}`, { features: { email_filters: false } })
  expect(problem(await panel.put(`${box.path}/filters`, { items: [] }))).toEqual([403, 'feature-disabled'])
  expect((await panel.get(`${box.path}/filters`)).body).toEqual({ items: [boss] })
})

const text = fc
  .string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
  .filter((one) => /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(one))

test.skipIf(!existsSync('/usr/bin/sievec'))(
  'every filter that is accepted compiles and says what was typed',
  async () => {
    const { panel, read, mailbox } = await withMail()
    const box = await mailbox('info@alice.example')
    const folder = mkdtempSync(join(tmpdir(), 'sieve-'))
    const tests = fc.constantFrom('is', 'contains', 'matches')
    const condition = fc.oneof(
      fc.record({ field: fc.constantFrom('from', 'to', 'subject', 'list'), test: tests, value: text }),
      fc.record({ field: fc.constant('header'), name: fc.constantFrom('X-A', 'Received'), test: tests, value: text }),
      fc.record({ field: fc.constant('size'), test: fc.constantFrom('over', 'under'), value: fc.nat(1_000_000_000) }),
    )
    const action = fc.oneof(
      fc.record({ action: fc.constantFrom('move', 'copy'), folder: fc.constantFrom('Work', 'Ä/b', 'a.b c') }),
      fc.record({ action: fc.constantFrom('discard', 'keep', 'mark') }),
      fc.record({ action: fc.constant('forward'), address: fc.constantFrom("o'brien@ext.example", 'b@ext.example') }),
    )
    const filter = fc.record({
      name: text,
      match: fc.constantFrom('all', 'any'),
      when: fc.array(condition, { minLength: 1, maxLength: 5 }),
      then: fc.array(action, { minLength: 1, maxLength: 4 }),
      stop: fc.boolean(),
    })
    const compiles = async (items: readonly Json[]) => {
      accepted(await panel.put(`${box.path}/filters`, { items }))
      await panel.settle()
      const path = join(folder, 'one.sieve')
      writeFileSync(path, read(`etc/panel/mail/sieve.d/alice/${box.id}.sieve`))
      const { status, stderr } = spawnSync('/usr/bin/sievec', [path, `${path}c`], { encoding: 'utf8' })
      expect(status, stderr).toBe(0)
    }
    await fc.assert(fc.asyncProperty(fc.array(filter, { minLength: 1, maxLength: 5 }), compiles), { numRuns: 40 })
  },
)
