import { expect, test } from 'vitest'
import type { MachineFacts } from '../../src/host/contract/facts.ts'
import { renderAccount } from '../../src/host/parts/render.ts'
import { account, idOf, mailDomain, type Over, server } from './helpers.ts'

type Domain = ReturnType<typeof mailDomain>
type Mailbox = Domain['mailboxes'][number]

const hash = `$6$${'a'.repeat(16)}$${'b'.repeat(86)}`
const box = (local: string, over: Partial<Mailbox> = {}): Mailbox => ({
  id: idOf(9),
  local,
  hash,
  noLogin: false,
  noIncoming: false,
  noOutgoing: false,
  gone: false,
  ...over,
})

const alice: Over = { id: idOf(1), username: 'alice', uid: 20_000, mainDomain: 'alice.example' }

function rendered(domains: readonly Domain[], over: Over = {}, facts: MachineFacts = {}): Record<string, string> {
  const state = account({
    ...alice,
    contactEmail: 'owner@ext.example',
    ...over,
    parts: { mail: { ...over.parts?.mail, domains } },
  })
  const { files } = renderAccount(state, server, ['mail'], facts).get('mail')!
  return Object.fromEntries(files.map(({ path, content }) => [path.replace('etc/panel/mail/', ''), content]))
}

const sample = mailDomain('alice.example', {
  catchAll: 'info@alice.example',
  dkim: [{ selector: 'panel1', privatePem: 'PEM', publicKey: 'KEY', signs: true }],
  mailboxes: [
    box('info', { quotaMb: 500, perHour: 50, id: idOf(7) }),
    box('noreply', { noLogin: true, noIncoming: true }),
  ],
  forwarders: [
    { local: 'info', destinations: ['copy@ext.example'], keepCopy: true },
    { local: 'sales', destinations: ['bob@ext.example', 'info@alice.example'], keepCopy: true },
  ],
})

test('renders the maps of an account, verbatim', () => {
  const files = rendered([sample])
  const texts = {
    'mailboxes.d/alice': [
      'alice@alice.example alice.example/alice/',
      'info@alice.example alice.example/info/',
      'noreply@alice.example alice.example/noreply/',
    ],
    'aliases.d/alice': [
      'abuse@alice.example owner@ext.example',
      'alice@alice.example alice@alice.example',
      'hostmaster@alice.example owner@ext.example',
      'info@alice.example info@alice.example,copy@ext.example',
      'noreply@alice.example noreply@alice.example',
      'postmaster@alice.example owner@ext.example',
      'sales@alice.example bob@ext.example,info@alice.example',
      '@alice.example info@alice.example',
    ],
    'senders.d/alice': [
      'alice@alice.example alice@alice.example',
      'info@alice.example info@alice.example',
      'noreply@alice.example noreply@alice.example',
      'sales@alice.example info@alice.example',
    ],
    'transports.d/alice': [
      'alice.example lmtp:unix:panel-lmtp/2/0/0/0/0/socket',
      'noreply@alice.example error:5.2.1 Mailbox disabled',
    ],
    'closed.d/alice': ['noreply@alice.example REJECT 5.2.1 Mailbox disabled'],
    'rates.d/alice': ['info@alice.example 50'],
    'spam.d/alice': ['alice.example box 6'],
    'dkimkeys.d/alice': [
      'panel1._domainkey.alice.example alice.example:panel1:/etc/panel/mail/dkim.d/alice/alice.example.panel1.pem',
    ],
    'dkimsign.d/alice': ['*@alice.example panel1._domainkey.alice.example'],
    'passwd.d/alice.example': [
      `# panel account ${idOf(1)}`,
      'alice:!:20000:20000::/home/alice/mail/alice.example/alice::',
      `info:${hash}:20000:20000::/home/alice/mail/alice.example/info::userdb_quota_rule=*:storage=500M`,
      'noreply:!:20000:20000::/home/alice/mail/alice.example/noreply::',
    ],
  }
  for (const [path, lines] of Object.entries(texts)) expect(files[path], path).toBe(`${lines.join('\n')}\n`)
})

const keyOf = (domain: string) => `${domain}:panel1:/etc/panel/mail/dkim.d/alice/${domain}.panel1.pem`

test('mail is sealed for the addresses from which it leaves the account, by the domain that it leaves', () => {
  const key = keyOf('alice.example')
  expect(rendered([sample])['seals.d/alice']).toBe(`@alice.example ${key}
abuse@alice.example ${key}
alice@alice.example -
hostmaster@alice.example ${key}
info@alice.example ${key}
noreply@alice.example -
postmaster@alice.example ${key}
sales@alice.example ${key}
`)
  const other = mailDomain('shop.example', {
    dkim: sample.dkim,
    mailboxes: [box('info')],
    forwarders: [
      { local: 'in', destinations: ['info@alice.example'], keepCopy: false },
      { local: 'stays', destinations: ['info@shop.example'], keepCopy: false },
      { local: 'round', destinations: ['again@shop.example'], keepCopy: false },
      { local: 'again', destinations: ['round@shop.example'], keepCopy: false },
    ],
  })
  const both = rendered([sample, other])['seals.d/alice']!.split('\n')
  expect(both.filter((line) => line.includes('@shop.example'))).toEqual([
    ...['abuse', 'hostmaster', 'in', 'postmaster'].map((local) => `${local}@shop.example ${keyOf('shop.example')}`),
  ])
})

test('nothing is sealed without a key that signs, or where no mail leaves', () => {
  const silent = { ...sample, dkim: sample.dkim.map((one) => ({ ...one, signs: false })) }
  expect(rendered([silent])['seals.d/alice']).toBeUndefined()
  const inside = mailDomain('alice.example', {
    dkim: sample.dkim,
    mailboxes: [box('info')],
    catchAll: 'info@alice.example',
  })
  expect(rendered([inside], { contactEmail: '' })['seals.d/alice']).toBeUndefined()
})

test('an account with mail elsewhere has logins and senders here, but no local delivery', () => {
  const paths = Object.keys(rendered([{ ...sample, dkim: [], routing: 'remote' }]))
  expect(paths).toEqual(['senders.d/alice', 'sendertransports.d/alice', 'rates.d/alice', 'passwd.d/alice.example'])
  const backup = rendered([{ ...sample, dkim: [], routing: 'backup' }])
  expect(backup['relays.d/alice']).toBe('alice.example alice\n')
  expect(backup['domains.d/alice']).toBeUndefined()
})

test("the customer's rows replace those that the panel adds", () => {
  const own = mailDomain('alice.example', { mailboxes: [box('alice'), box('postmaster')] })
  const files = rendered([own])
  expect(files['aliases.d/alice']).toBe(
    'abuse@alice.example owner@ext.example\nhostmaster@alice.example owner@ext.example\n',
  )
  expect(files['passwd.d/alice.example']).toContain(`\nalice:${hash}:`)
  const forwarded = mailDomain('alice.example', {
    forwarders: [{ local: 'postmaster', destinations: ['x@ext.example'], keepCopy: true }],
  })
  expect(rendered([forwarded])['aliases.d/alice']).toContain('\npostmaster@alice.example x@ext.example\n')
})

test('lists nothing that cannot send as a sender', () => {
  const quiet = { ...sample, mailboxes: [box('info', { noOutgoing: true })] }
  expect(rendered([quiet])['senders.d/alice']).toBe('alice@alice.example alice@alice.example\n')
})

test('a forwarder without a copy receives the mail of the mailbox', () => {
  const forwarders = [{ local: 'info', destinations: ['copy@ext.example'], keepCopy: false }]
  expect(rendered([{ ...sample, forwarders }])['aliases.d/alice']).toContain('info@alice.example copy@ext.example\n')
})

test('a suspended account has no hash and no autoreply, and still receives mail', () => {
  const vacation = { subject: 'Away', body: 'Back soon.', days: 1 }
  const domain = { ...sample, mailboxes: [box('info', { vacation })] }
  const files = rendered([domain], { suspended: true })
  expect(files['passwd.d/alice.example']).not.toContain('$6$')
  expect(files['passwd.d/alice.example']).not.toContain('sieve')
  expect(Object.keys(files).filter((path) => path.includes(idOf(9)))).toEqual([])
  expect(files['nosubmit.d/alice']).toBe('alice suspended\n')
  expect(files['aliases.d/alice']).toBe(rendered([domain])['aliases.d/alice'])
})

test('an autoresponder is a script, with each text in one string', () => {
  const script = (vacation: object) =>
    rendered([{ ...sample, mailboxes: [box('info', { vacation: vacation as never })] }])[
      `sieve.d/alice/${idOf(9)}.sieve`
    ]
  const output = { subject: 'Away', body: 'Back "soon".', days: 1 }
  expect(script({ ...output, from: '2026-08-01', until: '2026-08-15' })).toBe(`require ["date","relational","vacation"];
if allof (currentdate :zone "+0000" :value "ge" "date" "2026-08-01", currentdate :zone "+0000" :value "le" "date" "2026-08-15") {
vacation :days 1 :addresses ["info@alice.example","sales@alice.example"] :subject "Away" "Back \\"soon\\".";
}
`)
  expect(script({ ...output, from: '2026-08-01' })).toContain('\nif currentdate :zone "+0000" :value "ge"')
  expect(script({ ...output, body: '"; keep; #\\' })).toBe(
    'require ["vacation"];\nvacation :days 1 :addresses ["info@alice.example","sales@alice.example"] :subject "Away" "\\"; keep; #\\\\";\n',
  )
  const line = rendered([{ ...sample, mailboxes: [box('info', { vacation: output, quotaMb: 5 })] }])[
    'passwd.d/alice.example'
  ]
  expect(line).toContain(
    `::userdb_quota_rule=*:storage=5M userdb_sieve_before=/etc/panel/mail/sieve.d/alice/${idOf(9)}.sieve\n`,
  )
})

test('quota and scripts use the syntax of Dovecot 2.4 if that is installed', () => {
  const vacation = { subject: 'Away', body: 'Back soon.', days: 1 }
  const domain = mailDomain('alice.example', { mailboxes: [box('info', { quotaMb: 5, vacation })] })
  const [spam, script] = ['spam-alice.example', idOf(9)].map((name) => `/etc/panel/mail/sieve.d/alice/${name}.sieve`)
  const extras = (dovecot: '2.3' | '2.4') =>
    rendered([domain], {}, { dovecot })['passwd.d/alice.example']!.split('\n')[2]!.split('::').at(-1)
  const both = `userdb_sieve_before=${spam} userdb_sieve_before2=${script}`
  expect(extras('2.3')).toBe(`userdb_quota_rule=*:storage=5M ${both}`)
  expect(extras('2.4')).toBe(
    `userdb_quota_rule=*:storage=5M userdb_quota_storage_size=5M ${both} userdb_sieve_script/aside/path=${spam} userdb_sieve_script/panel/path=${script}`,
  )
})

test('headers of the spam filter are removed where it is off, on machines that filter mail', () => {
  const path = 'sieve.d/alice/spam-alice.example.sieve'
  const domain = mailDomain('alice.example', { mailboxes: [box('info')] })
  const off = (facts: MachineFacts, routing: 'local' | 'remote' = 'local') =>
    rendered([{ ...domain, routing }], { parts: { mail: { spamFilter: false } } }, facts)
  const judging = off({ dovecot: '2.3', checksSpam: true })
  expect(judging[path]).toBe(
    'require ["editheader"];\ndeleteheader "X-Spam-Level";\ndeleteheader "X-Spam-Status";\ndeleteheader "X-Spam";\n',
  )
  expect(judging['passwd.d/alice.example']).toContain(`userdb_sieve_before=/etc/panel/mail/${path}`)
  expect(off({ dovecot: '2.3' })).not.toHaveProperty([path])
  expect(off({ dovecot: '2.3', checksSpam: true }, 'remote')).not.toHaveProperty([path])
})

test('an unverified domain takes and sends no mail, and only its addresses are worth another try', () => {
  const { routing: _, ...rest } = sample
  const files = rendered([{ ...rest, routing: 'remote', unverified: true, catchAll: undefined }])
  expect(files['unverified.d/alice']!.trimEnd().split('\n')).toEqual([
    'abuse@alice.example panel_unverified',
    'alice.example 550 5.1.1 User unknown',
    ...['alice', 'hostmaster', 'info', 'noreply', 'postmaster', 'sales'].map(
      (local) => `${local}@alice.example panel_unverified`,
    ),
  ])
  const none = ['domains', 'mailboxes', 'aliases', 'senders', 'spam'].filter((map) => files[`${map}.d/alice`])
  expect(none).toEqual([])
  expect(files['passwd.d/alice.example']).toContain('\ninfo:$6$')
  const all = rendered([{ ...rest, routing: 'remote', unverified: true }])
  expect(all['unverified.d/alice']).toContain('alice.example panel_unverified\n')
})

test('a closed mailbox refuses mail however it comes', () => {
  const closed = box('info', { noIncoming: true })
  const forwarders = [
    { local: 'info', destinations: ['copy@ext.example'], keepCopy: true },
    { local: 'both', destinations: ['info@alice.example', 'x@ext.example'], keepCopy: true },
    { local: 'chain', destinations: ['only+tag@alice.example'], keepCopy: true },
    { local: 'only', destinations: ['info@alice.example'], keepCopy: true },
  ]
  const below = mailDomain('shop.alice.example', {})
  const files = rendered([mailDomain('alice.example', { mailboxes: [closed], forwarders }), below])
  const refused = ['chain', 'info', 'only'].map((local) => `${local}@alice.example`)
  expect(files['closed.d/alice']).toBe(refused.map((one) => `${one} REJECT 5.2.1 Mailbox disabled\n`).join(''))
  for (const one of refused) {
    expect(files['transports.d/alice']).toContain(`\n${one} error:5.2.1 Mailbox disabled\n`)
    expect(files['aliases.d/alice']).toContain(`\n${one} ${one}\n`)
  }
  expect(files['aliases.d/alice']).toContain('\nboth@alice.example x@ext.example\n')
  const all = rendered([
    mailDomain('alice.example', { mailboxes: [closed, box('team')], catchAll: 'info@alice.example' }),
    below,
  ])
  const rows = all['closed.d/alice']!.split('\n')
  expect(rows).toContain('alice.example REJECT 5.2.1 Mailbox disabled')
  expect(rows).toContain('info@alice.example REJECT 5.2.1 Mailbox disabled')
  for (const key of ['team@alice.example', 'postmaster@alice.example', 'shop.alice.example'])
    expect(rows).toContain(`${key} DUNNO`)
})

test('a forwarder without a deliverable destination refuses its mail', () => {
  const forwarders = [
    { local: 'office', destinations: ['temp@alice.example'], keepCopy: true },
    { local: 'some', destinations: ['temp@alice.example', 'x@ext.example'], keepCopy: true },
    { local: 'team', destinations: ['temp@alice.example'], keepCopy: false },
  ]
  const mailboxes = [box('team'), box('temp', { gone: true })]
  const files = rendered([mailDomain('alice.example', { mailboxes, forwarders })])
  expect(files['closed.d/alice']).toBe(
    'office@alice.example 550 5.1.1 User unknown\nteam@alice.example 550 5.1.1 User unknown\n',
  )
  expect(files['aliases.d/alice']).toContain('\nsome@alice.example x@ext.example\n')
  const unverified = rendered([
    { ...mailDomain('alice.example', { mailboxes, forwarders }), routing: 'remote', unverified: true },
  ])
  expect(unverified['unverified.d/alice']).toContain('some@alice.example panel_unverified')
  expect(unverified['unverified.d/alice']).not.toContain('office@')
})

test('a forwarder may throw its mail away, or all but the copy', () => {
  const discard = (local: string, keepCopy: boolean) => ({ local, destinations: ['discard'], keepCopy })
  const forwarders = [discard('noreply', true), discard('info', true), discard('team', false)]
  const domain = { mailboxes: [box('info'), box('team')], forwarders, catchAll: 'info@alice.example' }
  const files = rendered([mailDomain('alice.example', domain)])
  expect(files['transports.d/alice']!.split('\n').slice(1, -1)).toEqual([
    'noreply@alice.example discard:',
    'team@alice.example discard:',
  ])
  expect(files['mailboxes.d/alice']).toContain('noreply@alice.example alice.example/noreply/\n')
  for (const local of ['info', 'noreply', 'team'])
    expect(files['aliases.d/alice']).toContain(`\n${local}@alice.example ${local}@alice.example\n`)
  expect(files['closed.d/alice']).toBeUndefined()
})

test("role addresses lead to the account's contact, or to its own mailbox if that leads nowhere", () => {
  const shop = mailDomain('shop.example', {
    forwarders: [{ local: 'abuse', destinations: ['x@ext.example'], keepCopy: true }],
  })
  const rolesFor = (
    contactEmail: string,
    domains = [mailDomain('alice.example', { mailboxes: [box('info')] }), shop],
  ) => rendered(domains, { contactEmail })['aliases.d/alice']
  const to = (recipient: string) =>
    ['abuse@alice', 'abuse@shop', 'hostmaster@alice', 'hostmaster@shop', 'postmaster@alice', 'postmaster@shop']
      .map((role) => `${role}.example ${role === 'abuse@shop' ? 'x@ext.example' : recipient}\n`)
      .join('')
  expect(rolesFor('owner@ext.example')).toBe(to('owner@ext.example'))
  expect(rolesFor('info@alice.example')).toBe(to('info@alice.example'))
  for (const nowhere of ['', 'nobody@alice.example', 'postmaster@alice.example'])
    expect(rolesFor(nowhere)).toBe(to('alice@alice.example'))
  const elsewhere = { ...mailDomain('alice.example'), routing: 'remote' as const }
  expect(rolesFor('', [elsewhere, shop])).toBe('abuse@shop.example x@ext.example\n')
})

test('an autoresponder answers mail to every address that leads to its mailbox', () => {
  const output = { subject: 'Away', body: 'Back soon.', days: 1 }
  const forwarders = [
    { local: 'sales', destinations: ['team+x@alice.example'], keepCopy: true },
    { local: 'team', destinations: ['x@ext.example', 'INFO@alice.example'], keepCopy: true },
    { local: 'other', destinations: ['x@ext.example'], keepCopy: true },
  ]
  const shop = mailDomain('shop.example', { forwarders: [{ ...forwarders[0]!, destinations: ['info@alice.example'] }] })
  const files = rendered([
    mailDomain('alice.example', { mailboxes: [box('info', { vacation: output })], forwarders }),
    shop,
  ])
  expect(files[`sieve.d/alice/${idOf(9)}.sieve`]).toContain(
    ':addresses ["info@alice.example","sales@alice.example","sales@shop.example","team@alice.example"] ',
  )
})

test('people sign in with the name of their domain in either form', () => {
  const name = 'xn--bcher-kva.example'
  const files = rendered([mailDomain(name, { mailboxes: [box("o'brien"), box('shut', { noLogin: true })] })])
  expect(files['passwd.d/bücher.example']).toBe(
    `# panel account ${idOf(1)}\no'brien:${hash}::::::user=o'brien@${name}\no\\'brien:${hash}::::::user=o'brien@${name}\nshut:!::::::user=shut@${name}\n`,
  )
  expect(files[`passwd.d/${name}`]).toContain(`o'brien:${hash}:20000:20000::/home/alice/mail/${name}/o'brien::`)
  const suspended = rendered([mailDomain(name, { mailboxes: [box('info')] })], { suspended: true })
  expect(suspended['passwd.d/bücher.example']).not.toContain('$6$')
})
