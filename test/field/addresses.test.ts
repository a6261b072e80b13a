import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Address } from '../../src/contract/email/common.ts'
import { createForwarder } from '../../src/contract/email.ts'
import { accepts, patterns } from '../../src/host/contract/fields.ts'
import { mailboxAddress } from '../../src/host/parts/mail/state.ts'
import { accepted, occurred, problem, withMail } from '../email/fixtures.ts'
import { runs } from '../fuzz.ts'

/** Shapes that people bring along from other servers, and what receivers answer to. */
const mailboxes = [
  "o'brien",
  "d'arcy.smith",
  'r&d',
  'q=a',
  '_backup',
  '__init',
  'team-',
  'x--y',
  'a_',
  '1',
  '9-5',
  'tilde~',
]
const destinations = [
  'foi&dp@council.example',
  'b+id=42@list.example',
  'SRS0=HHH=TT=orig.example=joe@fwd.example',
  '+tag@ext.example',
  "o'brien@corp.example",
  'user%host@gateway.example',
  'bang!path@uucp.example',
  'prvs=1234567890=joe@ext.example',
  'bounce-md_12.34.v1-ab=cd@mandrill.example',
  '{curly}@ext.example',
  '#1@ext.example',
  '$money$@ext.example',
  'a.@docomo.example',
  'a..b@docomo.example',
  'info@b\u00fccher.example',
  'Info@EXT.Example',
]
const unusable = [
  '|/bin/sh',
  '|id@x.example',
  '/etc/passwd',
  '/etc/passwd@x.example',
  '-oQ/tmp@x.example',
  '.a@x.example',
  ':include:/x',
  '"quoted string"@x.example',
  'a,b@x.example',
  'a b@x.example',
  'a\tb@x.example',
  'a\r\nRCPT TO:<b@x.example>',
  'a<b>@x.example',
  'a\\b@x.example',
  'a(comment)@x.example',
  'a;b@x.example',
  'a:b@x.example',
  'a[b]@x.example',
  `${'a'.repeat(65)}@x.example`,
  '\u00fc@x.example',
]

describe('addresses of the field', () => {
  test.each(mailboxes)('takes the mailbox %s', async (local) => {
    const { panel, ask, map, path, forward, has } = await withMail()
    const { mailbox } = accepted(await ask(`${local.toUpperCase()}@Alice.Example`))
    expect(mailbox.address).toBe(`${local}@alice.example`)
    accepted(await forward('sales@alice.example', [mailbox.address]))
    expect((await occurred(panel)).jobs).toEqual(['email.account.create succeeded', 'email.forwarder.create succeeded'])
    expect(map('mailboxes')).toContain(`${local}@alice.example alice.example/${local}/`)
    expect(map('aliases')).toContain(`sales@alice.example ${local}@alice.example`)
    const maildir = `home/alice/mail/alice.example/${local}`
    expect(has(maildir)).toBe(true)
    const at = `${path}/accounts/${mailbox.id}`
    expect((await panel.get(at)).body.status).toBe('active')
    accepted(await panel.delete(at))
    await panel.settle()
    expect([(await panel.get(at)).status, has(maildir)]).toEqual([404, false])
  })

  test('takes every destination that RFC 5321 writes without quotes', async () => {
    const { panel, forward, map } = await withMail()
    const { forwarder } = accepted(await forward('all@alice.example', destinations))
    await panel.settle()
    const row = map('aliases').find((line) => line.startsWith('all@'))!
    expect(row.split(' ')[1]!.split(',')).toEqual(forwarder.destinations)
    expect(forwarder.destinations).toHaveLength(destinations.length)
    expect(forwarder.destinations).toContain('info@xn--bcher-kva.example')
    const hundred = Array.from({ length: 100 }, (_, n) => `u${n}@ext.example`)
    accepted(await forward('list@alice.example', hundred))
    const more = await forward('more@alice.example', [...hundred, 'one@more.example'])
    expect(problem(more)).toEqual([400, 'validation', 'destinations'])
  })

  test('takes the address of a destination with a name', async () => {
    const { forward, panel } = await withMail()
    const named = ['Bob <bob@ext.example>', '"Jo O\'Hara" <jo@ext.example> ', '<Info@EXT.example>', 'al@ext.example ']
    const { forwarder } = accepted(await forward('all@alice.example', named))
    expect(forwarder.destinations).toEqual(['bob@ext.example', 'jo@ext.example', 'Info@ext.example', 'al@ext.example'])
    for (const text of [
      'Bob <|/bin/sh>',
      'Bob <bob>',
      'a@b.example <bob@ext.example>',
      'Bob <bob@ext.example',
      '<a@x.example>,b',
    ])
      expect(problem(await forward('new@alice.example', [text])), text).toEqual([400, 'validation', 'destinations'])
    await panel.settle()
  })

  test('refuses whatever a mail server could read as something else', async () => {
    const { panel, forward, ask } = await withMail()
    for (const text of unusable) {
      expect(problem(await forward('all@alice.example', [text])), text).toEqual([400, 'validation', 'destinations'])
      const local = text.replace(/@x\.example$/, '')
      expect(problem(await ask(`${local}@alice.example`)), text).toEqual([400, 'validation', 'address'])
    }
    expect(await occurred(panel)).toEqual({ events: [], jobs: [] })
  })
})

describe('what the API takes the host takes, and nothing splits a row or leaves its directory', () => {
  const characters = 'abzAZ09.!#$%&\'*+/=?^_`{|}~-@:;,\\"<>()[] \t\n\u00e9\u202e\0'
  const local = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 66 })
  const body = createForwarder.body.shape.destinations

  test('mailboxes', () => {
    fc.assert(
      fc.property(local, (text) => {
        const address = `${text}@shop.example`
        if (!Address.safeParse(address).success) return
        expect(accepts(mailboxAddress, address.toLowerCase())).toBe(true)
        expect(text).not.toMatch(/[^A-Za-z0-9_'&=~.-]|^[-.]|\.\.|\.$/)
      }),
      runs(5_000),
    )
  })

  test('destinations', () => {
    fc.assert(
      fc.property(local, (text) => {
        const address = `${text}@shop.example`
        if (!body.safeParse([address]).success) return
        expect(patterns.email.test(address)).toBe(true)
        expect(text).not.toMatch(/[\s\p{Cc},:;"<>()[\]\\@\u0080-\u{10ffff}]|^[-|/.]/u)
      }),
      runs(5_000),
    )
  })

  test('every local part of atoms with dots between them is a destination', () => {
    const atom = fc.string({ unit: fc.constantFrom(..."abcXYZ019!#$%&'*+=?^_`{}~"), minLength: 1, maxLength: 12 })
    const parts = fc.array(atom, { minLength: 1, maxLength: 4 }).map((all) => all.join('.'))
    fc.assert(
      fc.property(parts, (text) => body.safeParse([`${text}@shop.example`]).success),
      runs(),
    )
  })
})
