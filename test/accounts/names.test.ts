import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'

async function usernameReason(panel: TestPanel, username: string): Promise<string | undefined> {
  const { status, body } = await panel.get(`/accounts-check?username=${encodeURIComponent(username)}`)
  expect(status).toBe(200)
  return body.username.available ? undefined : body.username.reason
}

async function domainReason(panel: TestPanel, domain: string): Promise<string | undefined> {
  const { status, body } = await panel.get(`/accounts-check?domain=${encodeURIComponent(domain)}`)
  expect(status).toBe(200)
  return body.domain.available ? undefined : body.domain.reason
}

/** Check and create must agree, and a refused create emits no event and no job. */
async function refuses(panel: TestPanel, field: 'username' | 'domain', value: string, reason: RegExp): Promise<void> {
  const reasonOf = field === 'username' ? usernameReason : domainReason
  expect(await reasonOf(panel, value), value).toMatch(reason)
  const made = await panel.post('/accounts', { username: 'free', domain: 'free.example', [field]: value })
  expect([made.status, made.code], value).toEqual([400, 'validation'])
  expect(made.body.fields, value).toEqual({ [field]: expect.stringMatching(reason) })
  expect(panel.events()).toEqual([])
  expect(panel.jobs()).toEqual([])
}

async function takes(panel: TestPanel, field: 'username' | 'domain', value: string, as: string): Promise<void> {
  const reasonOf = field === 'username' ? usernameReason : domainReason
  expect(await reasonOf(panel, value), value).toBeUndefined()
  const other = { username: 'free', domain: 'free.example' }
  const made = await panel.post('/accounts', { ...other, [field]: value })
  expect(made.status, JSON.stringify(made.body)).toBe(202)
  const { account } = made.body
  expect(field === 'username' ? account.username : account.main_domain).toBe(as)
  await panel.settle()
  expect((await panel.get(`/accounts/${account.id}`)).body.status).toBe('active')
  await panel.delete(`/accounts/${account.id}?confirm=${account.username}`)
  await panel.settle()
  panel.forget()
}

describe('username', () => {
  test('has 2 to 16 ASCII letters and digits and begins with a letter', async () => {
    const panel = await startPanel()
    for (const bad of ['a', 'a'.repeat(17), '1ab', 'a_b', 'a-b', 'a.b', 'a b', ' ab', 'ab ', 'ab\n', '../x'])
      await refuses(panel, 'username', bad, /2 to 16/)
    for (const [good, as] of [
      ['ab', 'ab'],
      ['b'.repeat(16), 'b'.repeat(16)],
      ['a1', 'a1'],
      ['BOB', 'bob'],
    ] as const)
      await takes(panel, 'username', good, as)
  })
  test('does not turn a name of another script into ASCII', async () => {
    const panel = await startPanel()
    const lookAlikes = [
      '\u212Aelvin',
      'k\u0131ng',
      '\u0430lice',
      'a\u0301lice',
      'ali\u200Bce',
      '\uFF41lice',
      'stra\u00DFe',
    ]
    for (const bad of lookAlikes) await refuses(panel, 'username', bad, /2 to 16/)
  })
  test('refuses a reserved username', async () => {
    const panel = await startPanel()
    const names = [
      'root',
      'admin',
      'ROOT',
      'mysql',
      'postgres',
      'nobody',
      'www',
      'ftp',
      'test',
      'tester',
      'Test1',
      'new',
    ]
    for (const bad of names) await refuses(panel, 'username', bad, /reserved/)
  })
  test('refuses a username that is taken, in any case', async () => {
    const panel = await startPanel()
    await panel.account('alice')
    for (const bad of ['alice', 'ALICE']) await refuses(panel, 'username', bad, /taken/)
  })
  test('requires a username and a domain', async () => {
    const panel = await startPanel()
    const { body } = await panel.post('/accounts', {})
    expect(body.fields).toEqual({ username: 'is required', domain: 'is required' })
    const odd = await panel.post('/accounts', { username: 1, domain: null, cgi: 'yes' })
    expect(odd.body.fields).toEqual({
      username: 'must be a string',
      domain: 'must be a string',
      cgi: 'must be a boolean',
    })
    expect((await panel.get('/accounts-check')).body.fields).toEqual({ username: expect.any(String) })
  })
  test('names both a username and a domain that are invalid', async () => {
    const panel = await startPanel()
    const { body } = await panel.post('/accounts', { username: 'root', domain: 'co.uk' })
    expect(Object.keys(body.fields)).toEqual(['username', 'domain'])
  })
})

describe('domain of an account', () => {
  test('stores a domain as lower-case A-labels', async () => {
    const panel = await startPanel()
    for (const [good, as] of [
      ['EXAMPLE.Example', 'example.example'],
      ['b\u00FCcher.example', 'xn--bcher-kva.example'],
      ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
      ['\u4F8B\u3048.\u30C6\u30B9\u30C8', 'xn--r8jz45g.xn--zckzah'],
      ['ex\u3002example', 'ex.example'],
      ['shop.co.uk', 'shop.co.uk'],
      ['me.github.io', 'me.github.io'],
      [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    ] as const)
      await takes(panel, 'domain', good, as)
  })
  test('has valid labels', async () => {
    const panel = await startPanel()
    const bad = [
      'example',
      'a..example',
      '.a.example',
      '-a.example',
      'a-.example',
      'a_b.example',
      'a b.example',
      '*.example',
    ]
    const worse = ['a.example/', 'a.example:80', 'u@a.example', 'a%2eexample', 'a.example#', 'xn--a.example']
    const odd = [
      `${'a'.repeat(64)}.example`,
      'a.b1',
      'a.b',
      'a.123',
      '\u00AD.example',
      'a.exa\nmple',
      "a'b.example",
      'xn--.example',
    ]
    for (const name of [...bad, ...worse, ...odd]) await refuses(panel, 'domain', name, /not a valid domain/)
  })
  test('refuses an IP address as a domain, in any spelling', async () => {
    const panel = await startPanel()
    const forms = [
      '127.0.0.1',
      '0x7f.1',
      '0x7f.0.0.0x1',
      '2130706433',
      '127.1',
      '017700000001',
      '::1',
      '[::1]',
      '\uFF11\uFF12\uFF17.0.0.1',
      '1.2.3.4.',
    ]
    for (const bad of forms) await refuses(panel, 'domain', bad, /not a valid domain/)
  })
  test('refuses a public suffix as a domain', async () => {
    const panel = await startPanel()
    for (const bad of ['co.uk', 'github.io', 'CO.UK', 's3.amazonaws.com', 'xn--55qx5d.cn'])
      await refuses(panel, 'domain', bad, /public suffix/)
  })
  test("refuses the server's hostname as a domain", async () => {
    const panel = await startPanel()
    for (const bad of ['host.example', 'HOST.example']) await refuses(panel, 'domain', bad, /hostname/)
  })
  test("refuses a domain that is taken or below another account's", async () => {
    const panel = await startPanel()
    await panel.account('alice', { domain: 'alice.example' })
    await refuses(panel, 'domain', 'Alice.Example', /taken/)
    for (const bad of ['www.alice.example', 'a.b.c.alice.example'])
      await refuses(panel, 'domain', bad, /subdomain of alice/)
    await takes(panel, 'domain', 'notalice.example', 'notalice.example')
  })
  test('leaves room for the prefixes put before it', async () => {
    const panel = await startPanel()
    const tooLong = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(31)}.example`
    expect(tooLong).toHaveLength(231)
    await refuses(panel, 'domain', tooLong, /at most 230/)
    const max = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(30)}.example`
    expect(max).toHaveLength(230)
    await takes(panel, 'domain', max, max)
  })
  test('accepts as a free domain only what a host can carry, whatever was typed', async () => {
    const panel = await startPanel()
    const label = fc.oneof(fc.stringMatching(/^[a-zA-Z0-9-]{1,63}$/), fc.string({ unit: 'grapheme', maxLength: 20 }))
    const name = fc.oneof(
      fc.domain(),
      fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
    )
    await fc.assert(
      fc.asyncProperty(name, async (typed) => {
        fc.pre(typed.length <= 253)
        const { status, body } = await panel.get(`/accounts-check?domain=${encodeURIComponent(typed)}`)
        expect(status).toBe(200)
        if (!body.domain.available) return
        const made = await panel.post('/accounts', { username: 'free', domain: typed })
        expect(made.body.account.main_domain).toMatch(
          /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/,
        )
        await panel.settle()
        const { job } = (await panel.get(`/jobs/${made.body.job_id}`)).body
        expect([job.status, job.error]).toEqual(['succeeded', undefined])
        await panel.delete(`/accounts/${made.body.account.id}?confirm=free`)
        await panel.settle()
      }),
      { numRuns: 30 },
    )
  })
})

describe('contact address', () => {
  test('accepts only a contact address that a host can carry', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const odd = [
      "o'neil@x.example",
      '+a@x.example',
      '-a@x.example',
      "'a@x.example",
      'a@x-.example',
      'a@-x.example',
      'a@x.EXAMPLE',
      'a@xn--bcher-kva.example',
      `${'a'.repeat(65)}@x.example`,
      'a@x.e1',
      'A.b+c_d@x.example',
    ]
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.constantFrom(...odd), fc.emailAddress()), async (contact_email) => {
        const changed = await panel.patch(`/accounts/${id}`, { contact_email })
        expect([202, 400]).toContain(changed.status)
        if (changed.status === 400) {
          expect(Object.keys(changed.body.fields)).toEqual(['contact_email'])
          return
        }
        await panel.settle()
        const { job } = (await panel.get(`/jobs/${changed.body.job_id}`)).body
        expect([contact_email, job.status, job.error]).toEqual([contact_email, 'succeeded', undefined])
      }),
      { numRuns: 30, examples: odd.map((email) => [email]) },
    )
  })
})

test('accepts one of twelve concurrent creates of one name, and refuses eleven', async () => {
  const panel = await startPanel()
  const body = { username: 'alice', domain: 'alice.example', password: 'correct horse' }
  const replies = await Promise.all(Array.from({ length: 12 }, () => panel.post('/accounts', body)))
  expect(replies.map(({ status }) => status).sort()).toEqual([202, ...Array(11).fill(400)])
  for (const { status, body: problem } of replies)
    if (status === 400) expect(Object.keys(problem.fields)).toEqual(['username', 'domain'])
  await panel.settle()
  expect(panel.events()).toEqual(['account.created', 'job.completed'])
  expect(panel.jobs()).toEqual(['account.create succeeded'])
  expect((await panel.get('/accounts')).body.total).toBe(1)
})

test('database prefixes are unique, even if names start alike', async () => {
  const panel = await startPanel()
  const prefixes: string[] = []
  for (const name of ['customer', 'customera', 'customerb', 'custom01', 'custom01x'])
    prefixes.push((await panel.account(name)).db_prefix)
  expect(prefixes).toEqual(['customer_', 'custom01_', 'custom02_', 'custom03_', 'custom04_'])
})

test('any number of names may start alike', async () => {
  const panel = await startPanel()
  const make = (n: number) => panel.post('/accounts', { username: `customer${n}`, domain: `customer${n}.example` })
  const made = await Promise.all(Array.from({ length: 105 }, (_, n) => make(n)))
  const prefixes = made.map(({ body }) => body.account.db_prefix)
  expect(new Set(prefixes).size).toBe(105)
  expect(prefixes.slice(98, 102)).toEqual(['custom98_', 'custom99_', 'cus20100_', 'cus20101_'])
})

test('a uid is never reused', async () => {
  const panel = await startPanel()
  const first = await panel.account('alice')
  await panel.delete(`/accounts/${first.id}?confirm=alice`)
  await panel.settle()
  const refused = await panel.post('/accounts', { username: 'bob', domain: 'bob.example', ip_id: first.id })
  expect(refused.status).toBe(400)
  expect([first.uid, (await panel.account('alice')).uid]).toEqual([20_000, 20_001])
})
