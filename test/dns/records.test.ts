import { expect, test } from 'vitest'
import { FailingDriver } from '../drivers.ts'
import { accepted, nothing, occurred, problem, withZone, zoneOf } from './fixtures.ts'

test("an account is created with the zone of its main domain, covered by the account's events", async () => {
  const { zone, panel, show, records, file } = await withZone()
  expect(await show()).toMatchObject({ name: 'alice.example', ttl: 3600, record_count: 11, dnssec: false })
  const { serial, applied_serial } = await show()
  expect(applied_serial).toBe(serial)
  expect((await records()).map(({ name, type, value, managed }) => `${name} ${type} ${value} ${managed}`)).toEqual([
    '@ A 192.0.2.2 true',
    'www A 192.0.2.2 true',
    'mail A 192.0.2.2 true',
    'autoconfig A 192.0.2.2 true',
    'autodiscover A 192.0.2.2 true',
    '@ MX mail.alice.example true',
    '@ TXT v=spf1 a mx ip4:192.0.2.2 ~all true',
    '_dmarc TXT v=DMARC1; p=none true',
    '_imaps._tcp SRV host.example true',
    '_submissions._tcp SRV host.example true',
    '_autodiscover._tcp SRV autodiscover.alice.example true',
  ])
  expect(file('alice.example')).toContain('@ IN MX 0 mail.alice.example.\n')
  expect((await panel.get(`${zone}/records?type=A&q=www`)).body).toMatchObject({ total: 1, serial })
})

test('records are also found by part of their value, in any case, an exact match first', async () => {
  const { panel, zone, add, records } = await withZone()
  for (const [name, value] of [
    ['one', 'www'],
    ['two', 'Proof-100%_done'],
    ['three', `it's "here" \\ there`],
  ])
    accepted(await add(name!, 'TXT', value!))
  const found = async (q: string, more = '') =>
    (await records(`&q=${encodeURIComponent(q)}${more}`)).map(({ name, type }) => `${name} ${type}`)
  expect(await found('192.0.2.2')).toEqual(['@ A', 'www A', 'mail A', 'autoconfig A', 'autodiscover A', '@ TXT'])
  expect(await found('192.0.2.2', '&type=TXT')).toEqual(['@ TXT'])
  expect(await found('WWW')).toEqual(['www A', 'one TXT'])
  expect(await found('mail')).toEqual(['mail A', '@ MX'])
  expect(await found('PROOF-100%_')).toEqual(['two TXT'])
  expect(await found(`'s "here" \\`)).toEqual(['three TXT'])
  for (const hostile of ["' OR 1=1 --", '\0', 'www\0', '*', '\u202e']) expect(await found(hostile), hostile).toEqual([])
  expect([await found('%'), await found('_done')]).toEqual([['two TXT'], ['two TXT']])
  expect((await panel.get(`${zone}/records?q=192.0.2.2&per_page=1&page=6`)).body).toMatchObject({
    total: 6,
    items: [{ name: '@', type: 'TXT' }],
  })
})

test('records are filtered by whether the panel manages them', async () => {
  const { add, records } = await withZone()
  accepted(await add('mine', 'A', '192.0.2.9'))
  expect((await records('&managed=false')).map(({ name }) => name)).toEqual(['mine'])
  expect(await records('&managed=true')).toHaveLength(11)
  expect(await records('&managed=true&q=192.0.2.9')).toEqual([])
})

test('a failed job leaves the host unchanged, and the next one applies everything', async () => {
  let driver!: FailingDriver
  const { panel, add, show, file } = await withZone({
    driver: (root) => {
      driver = new FailingDriver(root, 0)
      return driver
    },
  })
  const { serial } = await show()
  driver.failures = Number.POSITIVE_INFINITY
  accepted(await add('one', 'A', '192.0.2.9'))
  await panel.settle()
  await panel.clock.advance(3_600_000)
  await panel.settle()
  expect(panel.events()).toEqual(['dns.record.created', 'job.failed'])
  expect(await show()).toMatchObject({ serial: serial + 1, applied_serial: serial })
  expect(file('alice.example')).not.toContain('one IN A')
  driver.failures = 0
  accepted(await add('two', 'A', '192.0.2.9'))
  await panel.settle()
  expect(await show()).toMatchObject({ serial: serial + 2, applied_serial: serial + 2 })
  expect(file('alice.example')).toMatch(/one IN A[\s\S]*two IN A/)
})

test('a record is added, changed and deleted, each with one event, one job and one serial', async () => {
  const { panel, add, zone, show, file } = await withZone()
  const { serial } = await show()
  const made = accepted(await add('WWW.bücher', 'AAAA', '2001:DB8::0:1'))
  expect(made.record).toMatchObject({ name: 'www.xn--bcher-kva', value: '2001:db8::1', managed: false })
  expect(made.serial).toBe(serial + 1)
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.created', 'job.completed'],
    jobs: ['dns.zone.update succeeded'],
  })
  expect(file('alice.example')).toContain('www.xn--bcher-kva IN AAAA 2001:db8::1\n')
  expect((await show()).applied_serial).toBe(serial + 1)
  const record = `${zone}/records/${made.record.id}`
  expect(accepted(await panel.patch(record, { ttl: 300 }))).toMatchObject({ serial: serial + 2, record: { ttl: 300 } })
  expect(await occurred(panel)).toMatchObject({ events: ['dns.record.updated', 'job.completed'] })
  expect(accepted(await panel.patch(record, { ttl: null })).record.ttl).toBeUndefined()
  await occurred(panel)
  expect(accepted(await panel.patch(record, { value: '2001:db8::1' })).serial).toBe(serial + 3)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['dns.zone.update succeeded'] })
  accepted(await panel.delete(record))
  expect(await occurred(panel)).toMatchObject({ events: ['dns.record.deleted', 'job.completed'] })
  expect((await panel.get(record)).status).toBe(404)
})

test('a waiting job absorbs later changes', async () => {
  const { panel, add, zones } = await withZone()
  const [one, other] = await Promise.all([add('a', 'TXT', '1'), add('b', 'TXT', '2')])
  expect(accepted(one).job_id).toBe(accepted(other).job_id)
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.created', 'dns.record.created', 'job.completed'],
    jobs: ['dns.zone.update succeeded'],
  })
  const bob = await panel.account('bob')
  const theirs = await zoneOf(panel, bob.id, 'bob.example')
  expect((await panel.get(`${zones}/${theirs.zone.split('/').at(-1)}`)).status).toBe(404)
})

test('requires a CNAME to be the only record of its name, and lets a batch replace others with it', async () => {
  const { panel, add, change, find, show } = await withZone()
  expect(problem(await add('www', 'CNAME', 'x.example'))).toEqual([409, 'exists', 'name'])
  expect(problem(await add('@', 'CNAME', 'x.example'))).toEqual([400, 'validation', 'name'])
  expect(await occurred(panel)).toEqual(nothing)
  const { serial } = await show()
  const { id } = await find('www', 'A')
  const changed = accepted(await change({ delete: [id], create: [{ name: 'www', type: 'CNAME', value: 'x.example' }] }))
  expect(changed).toMatchObject({ zone: { serial: serial + 1 }, deleted: [id], created: [{ name: 'www' }] })
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.deleted', 'dns.record.created', 'job.completed'],
    jobs: ['dns.zone.update succeeded'],
  })
})

test('an underscore is allowed only where the name is not a host', async () => {
  const { add } = await withZone()
  expect(problem(await add('_x', 'A', '192.0.2.1'))).toEqual([400, 'validation', 'name'])
  accepted(await add('_x', 'TXT', 'x'))
})

test('a mail server is a name with an address', async () => {
  const { panel, add, zone, find } = await withZone()
  accepted(await add('c', 'CNAME', 'x.example'))
  await panel.settle()
  panel.forget()
  for (const value of ['192.0.2.1', 'c.alice.example', 'nothere.alice.example'])
    expect(problem(await add('m', 'MX', value))).toEqual([400, 'validation', 'value'])
  const mail = await find('mail', 'A')
  expect(problem(await panel.delete(`${zone}/records/${mail.id}`))).toEqual([409, 'in-use'])
  expect(problem(await panel.patch(`${zone}/records/${mail.id}`, { name: 'post' }))).toEqual([409, 'in-use'])
  expect(await occurred(panel)).toEqual(nothing)
})

test('texts are returned as they were sent', async () => {
  const { panel, add, file, find } = await withZone()
  const long = 'x'.repeat(600)
  const sly = 'x" IN A 6.6.6.6 ; \\'
  expect(accepted(await add('long', 'TXT', long)).record.value).toBe(long)
  expect(accepted(await add('sly', 'TXT', sly)).record.value).toBe(sly)
  await panel.settle()
  expect((await find('sly', 'TXT')).value).toBe(sly)
  const lines = file('alice.example').split('\n')
  expect(lines).toContain('sly IN TXT "x\\" IN A 6.6.6.6 ; \\\\"')
  expect(lines).toContain(`long IN TXT "${'x'.repeat(255)}" "${'x'.repeat(255)}" "${'x'.repeat(90)}"`)
  for (const bad of ['a\nb', 'a\rb', 'a\0b', '"v=spf1 -all"'])
    expect(problem(await add('bad', 'TXT', bad))).toEqual([400, 'validation', 'value'])
})

test("allows one SPF record per name, and keeps a caller's change when the address changes", async () => {
  const { panel, add, zone, find, records, alice } = await withZone()
  expect(problem(await add('@', 'TXT', 'v=spf1 -all'))).toEqual([409, 'exists', 'value'])
  const spf = await find('@', 'TXT')
  expect(accepted(await panel.patch(`${zone}/records/${spf.id}`, { value: 'v=spf1 -all' })).record.managed).toBe(false)
  await panel.settle()
  panel.forget()
  const ip = (await panel.post('/ips', { address: '192.0.2.99' })).body
  accepted(await panel.patch(`/accounts/${alice.id}`, { ip_id: ip.id }))
  expect(await occurred(panel)).toEqual({
    events: [...Array(5).fill('dns.record.updated'), 'job.completed'],
    jobs: ['account.update succeeded'],
  })
  expect((await find('@', 'TXT')).value).toBe('v=spf1 -all')
  expect((await records('&type=A')).map(({ value }) => value)).toEqual(Array(5).fill('192.0.2.99'))
})

test('all records of a name and type share a TTL', async () => {
  const { add } = await withZone()
  for (const ttl of [59, 86_401, -1, 1.5])
    expect(problem(await add('t', 'TXT', 'x', { ttl }))).toEqual([400, 'validation', 'ttl'])
  for (const ttl of [60, 86_400]) accepted(await add(`t${ttl}`, 'TXT', 'x', { ttl }))
  expect(problem(await add('t60', 'TXT', 'y', { ttl: 61 }))).toEqual([400, 'validation', 'ttl'])
  expect(accepted(await add('t60', 'TXT', 'y')).record.ttl).toBe(60)
})

test('duplicate records are detected, however they are spelled', async () => {
  const { panel, add } = await withZone()
  for (const name of ['www', 'WWW', 'www.alice.example.'])
    expect(problem(await add(name, 'A', '192.0.2.2'))).toEqual([409, 'exists', 'value'])
  expect(await occurred(panel)).toEqual(nothing)
})

test('lets one of two writers with the same serial win', async () => {
  const { panel, add, show } = await withZone()
  const { serial } = await show()
  const replies = await Promise.all(['a', 'b'].map((name) => add(name, 'TXT', 'x', { serial })))
  expect(replies.map(({ status }) => status).sort()).toEqual([202, 409])
  const lost = replies.find(({ status }) => status === 409)!
  expect([lost.code, lost.body.fields]).toEqual(['serial-mismatch', { serial: `is ${serial + 1} now` }])
  expect(await occurred(panel)).toMatchObject({ events: ['dns.record.created', 'job.completed'] })
})

test('a batch is applied completely or not at all', async () => {
  const { panel, change, show, find } = await withZone()
  const before = await show()
  const create = Array.from({ length: 500 }, (_, n) => ({ name: `t${n}`, type: 'TXT', value: 'x' }))
  const bad = (at: number, more: object) => create.map((item, n) => (n === at ? { ...item, ...more } : item))
  const { id } = await find('www', 'A')
  const cases: [object, number, string, RegExp][] = [
    [{ create: bad(499, { value: '' }) }, 400, 'create', /^item 500: value: /],
    [{ create: bad(7, { ttl: 1 }) }, 400, 'create', /^item 8: /],
    [{ create: bad(7, { type: 'SOA' }) }, 400, 'create', /^item 8: /],
    [{ create: bad(7, { name: 't6' }) }, 409, 'create', /^item 8: value: /],
    [{ create: [...create, ...create] }, 400, 'create', /500/],
    [{ create, delete: [id] }, 400, 'create', /500/],
    [{}, 400, 'create', /at least one/],
    [{ delete: [id, id] }, 400, 'delete', /^item 2: /],
    [{ delete: [before.id] }, 400, 'delete', /^item 1: /],
    [{ delete: [id], update: [{ id, ttl: 60 }] }, 400, 'update', /^item 1: /],
    [{ update: [{ id, value: 'x' }] }, 400, 'update', /^item 1: value: /],
  ]
  for (const [body, status, field, message] of cases) {
    const reply = await change(body)
    expect([reply.status, Object.keys(reply.body.fields)]).toEqual([status, [field]])
    expect(reply.body.fields[field]).toMatch(message)
  }
  expect(await show()).toEqual(before)
  expect(await occurred(panel)).toEqual(nothing)
  expect(accepted(await change({ create })).zone).toMatchObject({ serial: before.serial + 1, record_count: 511 })
})
