import { createPrivateKey, createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { dataSchema } from '../../src/contract/events.ts'
import type { Lookups } from '../../src/outgoing/lookups.ts'
import { day } from '../../src/shared/time.ts'
import { zoneOf } from '../dns/fixtures.ts'
import { type Json, startPanel } from '../harness.ts'
import { noticesOf } from '../notices/fixtures.ts'
import { resellerToken } from '../world.ts'
import { accepted, occurred, problem, withMail } from './fixtures.ts'

type Mail = Awaited<ReturnType<typeof withMail>>

/** A domain's mail, and its zone. */
async function domainOf({ panel, alice, path }: Mail, name = 'alice.example') {
  const { items } = (await panel.get(`${path}/domains`)).body
  const { id } = items.find(({ domain }: Json) => domain === name)
  const zone = await zoneOf(panel, alice.id, 'alice.example')
  const keys = async () => {
    const all: Json[] = await zone.records()
    return all.filter((one) => one.name.includes('_domainkey')).map((one) => one.name)
  }
  const at = `${path}/domains/${id}`
  return { id, at, zone, keys, show: async () => (await panel.get(at)).body }
}

test('generates keys in advance from the start', async () => {
  let fills = 0
  const never = () => Promise.reject(new Error('no key is wanted'))
  await startPanel({ rsaKeys: { take: never, make: never, fill: async () => void fills++ } })
  expect(fills).toBe(1)
})

test('every domain except a wildcard can have mail', async () => {
  const mail = await withMail()
  const { panel, alice, path } = mail
  for (const name of ['shop.example', 'blog.alice.example', '*.alice.example']) {
    accepted(await panel.post(`/accounts/${alice.id}/domains`, { name }))
    await panel.verify(alice.id)
    await panel.settle()
  }
  const { items } = (await panel.get(`${path}/domains`)).body
  expect(items.map(({ domain, is_main, dkim_enabled }: Json) => [domain, is_main, dkim_enabled])).toEqual([
    ['alice.example', true, true],
    ['shop.example', false, true],
    ['blog.alice.example', false, false],
  ])
  const wildcard = (await panel.get(`/accounts/${alice.id}/domains?q=*.alice`)).body.items[0].id
  expect(problem(await panel.get(`${path}/domains/${wildcard}`))).toEqual([404, 'not-found'])
  expect(mail.map('domains')).toEqual(['alice.example alice', 'blog.alice.example alice', 'shop.example alice'])
})

test('mail that is routed elsewhere is not accepted here', async () => {
  const mail = await withMail()
  const { panel, map, mailbox, path } = mail
  await mailbox('info@alice.example')
  const { at, show } = await domainOf(mail)
  const body = { routing: 'remote' }
  expect(accepted(await panel.put(`${at}/routing`, body)).domain).toMatchObject({
    routing: 'remote',
    effective_routing: 'remote',
  })
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.domain.update succeeded'] })
  expect([map('domains'), map('mailboxes')]).toEqual([[], []])
  expect((await panel.get(`${path}/accounts`)).body.total).toBe(1)
  accepted(await panel.put(`${at}/routing`, { routing: 'backup' }))
  await panel.settle()
  expect([map('relays'), (await show()).effective_routing]).toEqual([['alice.example alice'], 'backup'])
})

test('a reseller needs edit-mx to set the routing of its accounts', async () => {
  const { panel } = await withMail()
  const rita = await panel.account('rita', { make_reseller: true })
  const bob = await panel.account('bob', { owner_id: rita.id })
  const path = `/accounts/${bob.id}/email/domains`
  const { id } = (await panel.get(path)).body.items[0]
  const others = await resellerToken(panel, rita.id, ['create-user-session'])
  const set = (token: string) => panel.put(`${path}/${id}/routing`, { routing: 'remote' }, { token })
  expect(problem(await set(others))).toEqual([403, 'forbidden'])
  expect((await panel.get(`${path}/${id}`, { token: others })).status).toBe(200)
  accepted(await set(await resellerToken(panel, rita.id, ['edit-mx'])))
})

test('follows the MX records of the zone by default', async () => {
  const mail = await withMail()
  const { panel, map } = mail
  const { zone, show } = await domainOf(mail)
  const mx = (await zone.records()).find(({ type }: Json) => type === 'MX')!
  expect((await show()).effective_routing).toBe('local')
  const change = async (fields: object) => {
    accepted(await panel.patch(`${zone.zone}/records/${mx.id}`, fields))
    await panel.settle()
    return [(await show()).effective_routing, map('domains').length, map('relays').length]
  }
  expect(await change({ value: 'mx.elsewhere.example' })).toEqual(['remote', 0, 0])
  expect(panel.jobs()).toEqual(['dns.zone.update succeeded'])
  accepted(await zone.add('@', 'MX', 'mail.alice.example', { priority: 20 }))
  expect(await change({ priority: 10 })).toEqual(['backup', 0, 1])
  expect(await change({ value: 'host.example' })).toEqual(['local', 1, 0])
  accepted(await panel.delete(zone.zone))
  await panel.settle()
  expect((await show()).effective_routing).toBe('local')
})

test('a domain starts with a key, its record and no event', async () => {
  const mail = await withMail({ signs: true })
  const { panel, alice, map, read } = mail
  const { show, zone } = await domainOf(mail)
  expect(await show()).toMatchObject({ dkim_enabled: true, dkim_selector: 'panel1' })
  const record = (await zone.records()).find(({ name }: Json) => name === 'panel1._domainkey')!
  expect(record).toMatchObject({ type: 'TXT', managed: true, value: expect.stringMatching(/^v=DKIM1; k=rsa; p=MII/) })
  const pem = read('etc/panel/mail/dkim.d/alice/alice.example.panel1.pem')
  const key = createPrivateKey(pem)
  expect(key.asymmetricKeyDetails!.modulusLength).toBe(2048)
  const published = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
  expect(record.value).toBe(`v=DKIM1; k=rsa; p=${published}`)
  expect(map('dkimsign')).toEqual(['*@alice.example panel1._domainkey.alice.example'])
  expect(zone.file('alice.example')).toContain('panel1._domainkey IN TXT "v=DKIM1; k=rsa; p=')
  const stored = panel.store.sqlite.prepare('SELECT private_key FROM email_keys').all()
  expect(JSON.stringify(stored)).not.toContain('PRIVATE KEY')
  const { items } = (await panel.get(`/accounts/${alice.id}/events`)).body
  expect(items.map(({ type }: Json) => type)).toEqual(['account.created', 'job.completed'])
})

test('a reset of the zone keeps the key', async () => {
  const mail = await withMail({ signs: true })
  const { panel } = mail
  const { zone, keys } = await domainOf(mail)
  const before = (await zone.records()).find(({ name }: Json) => name === 'panel1._domainkey')!.value
  accepted(await panel.post(`${zone.zone}/reset`))
  expect(await occurred(panel)).toMatchObject({ events: ['dns.zone.reset', 'job.completed'] })
  expect(await keys()).toEqual(['panel1._domainkey'])
  expect((await zone.records()).find(({ name }: Json) => name === 'panel1._domainkey')!.value).toBe(before)
})

test('disabling DKIM removes its record, and enabling it restores the same key', async () => {
  const mail = await withMail({ signs: true })
  const { panel, map, alice } = mail
  const { at, keys } = await domainOf(mail)
  expect(accepted(await panel.put(`${at}/dkim`, { enabled: false })).domain).toMatchObject({ dkim_enabled: false })
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.deleted', 'job.completed'],
    jobs: ['email.dkim.update succeeded'],
  })
  expect([await keys(), map('dkimsign')]).toEqual([[], []])
  expect(problem(await panel.post(`${at}/dkim/rotate`))).toEqual([409, 'not-configured'])
  expect(accepted(await panel.put(`${at}/dkim`, { enabled: true })).domain.dkim_selector).toBe('panel1')
  expect(await occurred(panel)).toMatchObject({ events: ['dns.record.created', 'job.completed'] })
  expect(await keys()).toEqual(['panel1._domainkey'])
  const [event] = (await panel.get(`/accounts/${alice.id}/events?type=dns.record.created`)).body.items
  expect(dataSchema('dns.record.created').parse(event.data).details).toEqual({
    zone: 'alice.example',
    name: 'panel1._domainkey',
    type: 'TXT',
  })
})

test('a new key signs at once, and the previous record stays for 7 days', async () => {
  const mail = await withMail({ signs: true })
  const { panel, map } = mail
  const { at, keys, zone } = await domainOf(mail)
  expect(accepted(await panel.post(`${at}/dkim/rotate`)).domain.dkim_selector).toBe('panel2')
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.created', 'job.completed'],
    jobs: ['email.dkim.rotate succeeded'],
  })
  expect(await keys()).toEqual(['panel1._domainkey', 'panel2._domainkey'])
  expect(map('dkimsign')).toEqual(['*@alice.example panel2._domainkey.alice.example'])
  expect(map('dkimkeys')).toHaveLength(2)
  accepted(await panel.post(`${zone.zone}/reset`))
  await occurred(panel)
  expect(await keys()).toEqual(['panel1._domainkey', 'panel2._domainkey'])
  panel.clock.jump(7 * day)
  await panel.clock.advance(60_000)
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.deleted', 'job.completed'],
    jobs: ['email.dkim.update succeeded'],
  })
  expect([await keys(), map('dkimkeys').length]).toEqual([['panel2._domainkey'], 1])
})

test('a domain created when no key was ready is signed by the server, which announces the record', async () => {
  const options = { signs: false }
  const mail = await withMail(options)
  const { panel, alice, map } = mail
  const { show, keys } = await domainOf(mail)
  expect([(await show()).dkim_selector, await keys(), map('dkimsign')]).toEqual([undefined, [], []])
  await panel.clock.advance(60_000)
  expect(await occurred(panel)).toEqual({ events: [], jobs: [] })
  options.signs = true
  await panel.clock.advance(60_000)
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.created', 'job.completed'],
    jobs: ['email.dkim.update succeeded'],
  })
  expect([(await show()).dkim_selector, await keys()]).toEqual(['panel1', ['panel1._domainkey']])
  expect(map('dkimsign')).toHaveLength(1)
  const [event] = (await panel.get(`/accounts/${alice.id}/events?type=dns.record.created`)).body.items
  expect(event.data).toMatchObject({ actor: { type: 'system' }, via: 'system' })
  await panel.clock.advance(60_000)
  expect(await occurred(panel)).toEqual({ events: [], jobs: [] })
})

test('enabling DKIM generates a key if there is none', async () => {
  const mail = await withMail()
  const { panel } = mail
  const { at, keys } = await domainOf(mail)
  expect(accepted(await panel.put(`${at}/dkim`, { enabled: true })).domain.dkim_selector).toBe('panel1')
  expect(await occurred(panel)).toMatchObject({ events: ['dns.record.created', 'job.completed'] })
  expect(await keys()).toEqual(['panel1._domainkey'])
})

test("a subdomain's key has its record in the parent zone, as long as the subdomain exists", async () => {
  const mail = await withMail({ signs: true })
  const { panel, alice } = mail
  const { domain } = accepted(await panel.post(`/accounts/${alice.id}/domains`, { name: 'blog.alice.example' }))
  await occurred(panel)
  const { at, keys } = await domainOf(mail, 'blog.alice.example')
  expect(await keys()).toEqual(['panel1._domainkey'])
  accepted(await panel.put(`${at}/dkim`, { enabled: true }))
  await occurred(panel)
  expect(await keys()).toEqual(['panel1._domainkey', 'panel1._domainkey.blog'])
  accepted(await panel.delete(`/accounts/${alice.id}/domains/${domain.id}`))
  expect(await occurred(panel)).toMatchObject({
    events: ['dns.record.deleted', 'dns.record.deleted', 'domain.deleted', 'job.completed'],
  })
  expect(await keys()).toEqual(['panel1._domainkey'])
})

/** Name servers that answer what a test sets; they throw for an unknown name. */
function stub(texts: Record<string, readonly string[]>): Lookups {
  const answer = (name: string): readonly string[] => {
    if (!(name in texts)) throw new Error('no answer')
    return texts[name]!
  }
  return {
    txt: async (name) => answer(name),
    ns: async () => [],
    mx: async (name) => answer(`mx ${name}`).map((host) => ({ priority: 0, host })),
    addresses: async (name) => answer(`addresses ${name}`),
    reverse: async (address) => answer(`reverse ${address}`),
  }
}

test('a check reports the published records and the expected ones', async () => {
  const texts: Record<string, readonly string[]> = {}
  const mail = await withMail({ signs: true, lookups: stub(texts) })
  const { panel } = mail
  const { at, zone } = await domainOf(mail)
  const before = (await panel.get(`${at}/dns`)).body
  expect(before.records.map(({ kind, status }: Json) => [kind, status])).toEqual(
    ['mx', 'spf', 'dkim', 'dmarc', 'ptr', 'helo', 'mta_sts', 'tls_rpt'].map((kind) => [kind, 'unknown']),
  )
  const expected = Object.fromEntries(
    before.records.slice(0, 4).map(({ kind, wanted: desired }: Json) => [kind, desired]),
  )
  const key = (await zone.records()).find(({ name }: Json) => name === 'panel1._domainkey')!.value
  expect(expected).toEqual({
    mx: '0 mail.alice.example',
    spf: 'v=spf1 a mx ip4:192.0.2.2 ~all',
    dkim: key,
    dmarc: 'v=DMARC1; p=none',
  })
  const statuses = async () => {
    accepted(await panel.post(`${at}/dns/check`))
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.dns.check succeeded'] })
    const { records, checked_at } = (await panel.get(`${at}/dns`)).body
    expect(checked_at).toBe(panel.clock.now())
    return records.slice(0, 4).map(({ status }: Json) => status)
  }
  expect(await statuses()).toEqual(['unknown', 'unknown', 'unknown', 'unknown'])
  texts['mx alice.example'] = ['mail.alice.example.']
  texts['alice.example'] = ['site=1', 'v=spf1 a mx ip4:192.0.2.2 ~all']
  texts['panel1._domainkey.alice.example'] = [key.replace('; p=', ';p=')]
  texts['_dmarc.alice.example'] = ['v=DMARC1; p=reject']
  expect(await statuses()).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(await noticesOf(panel)).toEqual([])
  texts['mx alice.example'] = ['mx.elsewhere.example']
  texts['alice.example'] = [...texts['alice.example'], 'v=spf1 -all']
  texts['panel1._domainkey.alice.example'] = []
  texts['_dmarc.alice.example'] = ['other']
  expect(await statuses()).toEqual(['different', 'different', 'missing', 'missing'])
  const since = panel.clock.now()
  const received = { kind: 'dns-differs', severity: 'warn', name: 'alice.example', since, operation: 'getEmailDns' }
  expect(await noticesOf(panel)).toMatchObject([received])
  await panel.clock.advance(1000)
  await statuses()
  expect(await noticesOf(panel)).toMatchObject([received])
})

test('a check reads like a letter: what receivers look at, what it means and what to do', async () => {
  const texts: Record<string, readonly string[]> = {}
  const mail = await withMail({ lookups: stub(texts) })
  const { panel } = mail
  const { at } = await domainOf(mail)
  const [{ address }] = (await panel.get('/ips')).body.items
  const parts = address.split('.').toReversed().join('.')
  const { hostname } = panel.panel.runtime
  await panel.patch('/settings', { blocklists: ['list.example'] })
  const checked = async () => {
    accepted(await panel.post(`${at}/dns/check`))
    await panel.settle()
    const { records } = (await panel.get(`${at}/dns`)).body
    return records.filter(({ kind }: Json) => !['mx', 'spf', 'dkim', 'dmarc'].includes(kind))
  }
  const statuses = async () => Object.fromEntries((await checked()).map(({ kind, status }: Json) => [kind, status]))
  Object.assign(texts, {
    ...{ [`reverse ${address}`]: [`${hostname}`], [`addresses ${hostname}`]: [address, '192.0.2.77'] },
    ...{ '_mta-sts.alice.example': [], '_smtp._tls.alice.example': ['v=TLSRPTv1; rua=mailto:x@y.example'] },
    [`addresses ${parts}.list.example`]: [],
  })
  expect(await checked()).toEqual([
    {
      ...{ kind: 'ptr', name: `${parts}.in-addr.arpa`, wanted: hostname, found: [hostname], status: 'ok' },
      advice: "The server's address leads to its name.",
    },
    {
      ...{ kind: 'helo', name: hostname, wanted: address, found: [address, '192.0.2.77'].sort(), status: 'ok' },
      advice: 'The name that the server introduces itself by leads to it.',
    },
    {
      ...{ kind: 'mta_sts', name: '_mta-sts.alice.example', found: [], status: 'missing' },
      advice: 'Optional: senders are not told that mail to this domain must be encrypted.',
    },
    {
      ...{
        kind: 'tls_rpt',
        name: '_smtp._tls.alice.example',
        wanted: 'v=TLSRPTv1; rua=mailto:postmaster@alice.example',
      },
      ...{ found: ['v=TLSRPTv1; rua=mailto:x@y.example'], status: 'ok', advice: 'Senders report failed encryption.' },
    },
    {
      ...{ kind: 'blocklist', name: `${parts}.list.example`, found: [], status: 'ok' },
      advice: "The server's address is not listed.",
    },
  ])
  texts[`reverse ${address}`] = ['host.provider.example\n<script>']
  texts[`addresses ${hostname}`] = []
  texts[`addresses ${parts}.list.example`] = ['127.0.0.2']
  expect(await statuses()).toMatchObject({ ptr: 'different', helo: 'missing', blocklist: 'different' })
  // It refuses to say, or its name belongs to a seller of names.
  for (const answer of ['127.255.255.254', '192.0.2.80']) {
    texts[`addresses ${parts}.list.example`] = [answer]
    expect(await statuses()).toMatchObject({ blocklist: 'unknown' })
  }
  // What is optional or the server's is no customer's notice.
  texts['mx alice.example'] = ['mail.alice.example.']
  expect((await noticesOf(panel)).filter(({ kind }: Json) => kind === 'dns-differs')).toEqual([])
  expect((await panel.patch('/settings', { blocklists: ['list.example\nevil'] })).status).toBe(400)
})

test('an endless answer is cut', async () => {
  const texts = { 'alice.example': Array.from({ length: 5000 }, (_, at) => `${at}${'x'.repeat(5000)}`) }
  const mail = await withMail({ lookups: stub(texts) })
  const { panel } = mail
  const { at } = await domainOf(mail)
  accepted(await panel.post(`${at}/dns/check`))
  await panel.settle()
  const [row] = panel.panel.runtime.store.sqlite
    .prepare('SELECT length(checked) AS size FROM email_domains')
    .all() as Json[]
  expect(row.size).toBeLessThan(30_000)
  expect((await panel.get(`${at}/dns`)).status).toBe(200)
})
