import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkAccount } from '../../src/host/contract/check.ts'
import { account, apply, bench, redirect, type Site, siteOf } from './helpers.ts'
import { nginx, serve } from './nginx.ts'

const name = 'bob.example'
const mail = { labels: ['mail', 'autoconfig', 'autodiscover'], proven: [], server: `mail.${name}` } as const
const file = '/.well-known/autoconfig/mail/config-v1.1.xml'

async function site(over: Partial<Site> = {}, suspended = false) {
  const { driver, root } = bench()
  const sites = [siteOf(name, { handler: 'static', mail, ...over })]
  await apply(driver, account({ suspended, parts: { web: { sites } } }))
  const socketPath = await serve(root)
  const ask = (host: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; body: string; type: string | undefined }>((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST'
      const call = request(
        { socketPath, path, method, headers: { host, ...headers }, agent: false },
        async (answer) => {
          let text = ''
          for await (const chunk of answer) text += chunk
          resolve({ status: answer.statusCode!, body: text, type: answer.headers['content-type'] })
        },
      )
      call.once('error', reject).end(body)
    })
  return { root, ask }
}

const config = '/mail/config-v1.1.xml?emailaddress=info%40bob.example'
const outlook = (address: string, schema = 'outlook') =>
  `<?xml version="1.0"?><Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/${schema}/requestschema/2006a"><Request><EMailAddress>${address}</EMailAddress></Request></Autodiscover>`
const post = '/Autodiscover/Autodiscover.xml'

describe.skipIf(!existsSync(nginx))('the settings of mail programs', () => {
  test('are the same for every address of a domain', async () => {
    const { ask } = await site()
    const one = await ask(`autoconfig.${name}`, config)
    expect(one).toEqual(await ask(`autoconfig.${name}`, '/mail/config-v1.1.xml?emailaddress=x%0d%0a@evil.example'))
    expect(one).toEqual(await ask(name, file))
    expect([one.status, one.type]).toEqual([200, 'text/xml; charset=utf-8'])
    expect(one.body).toContain(`<hostname>mail.${name}</hostname><port>993</port><socketType>SSL</socketType>`)
    expect(one.body).toContain('<username>%EMAILADDRESS%</username>')
    const two = await ask(`autodiscover.${name}`, post, outlook('Info@bob.example'))
    expect(two.body).toContain(`<Server>mail.${name}</Server><Port>993</Port><LoginName>Info@bob.example</LoginName>`)
    const three = await ask(`autodiscover.${name}`, '/autodiscover/autodiscover.json?Protocol=AutodiscoverV1')
    expect(JSON.parse(three.body)).toEqual({
      Protocol: 'AutodiscoverV1',
      Url: `https://autodiscover.${name}/autodiscover/autodiscover.xml`,
    })
    expect(three.type).toBe('application/json; charset=utf-8')
    expect((await ask(`mail.${name}`, '/')).status).toBe(404)
  })

  test('senders read a policy at its own name alone, with the line ends that it needs', async () => {
    const policy = { mode: 'enforce', maxAge: 604_800, mx: [`mail.${name}`, 'mx.other.example'] } as const
    const with_ = { ...mail, labels: [...mail.labels, 'mta-sts'], policy } as const
    const { ask } = await site({ mail: with_ })
    const path = '/.well-known/mta-sts.txt'
    expect(await ask(`mta-sts.${name}`, path)).toEqual({
      status: 200,
      type: 'text/plain',
      body: `version: STSv1\r\nmode: enforce\r\nmx: mail.${name}\r\nmx: mx.other.example\r\nmax_age: 604800\r\n`,
    })
    expect((await ask(`autoconfig.${name}`, path)).status).toBe(404)
    expect((await ask(`mta-sts.${name}`, '/')).status).toBe(404)
    const hostile = [
      { mx: ["mail.example';}"] },
      { mx: ['a\nmx: b'] },
      { mx: Array(101).fill('a.example') },
      { mode: 'always' },
      { maxAge: -1 },
    ]
    for (const over of hostile) {
      const sites = [siteOf(name, { mail: { ...with_, policy: { ...policy, ...over } } as never })]
      expect(() => checkAccount(account({ parts: { web: { sites } } })), JSON.stringify(over)).toThrow()
    }
  })

  test('name no ActiveSync, repeat nothing but addresses, and take 8 KiB without a document type', async () => {
    const { ask } = await site()
    const send = (body: string, headers?: Record<string, string>) => ask(`autodiscover.${name}`, post, body, headers)
    expect((await send(outlook('a@bob.example', 'mobilesync'))).body).toContain('<ErrorCode>601</ErrorCode>')
    for (const address of [
      'a\r\nX-Panel-Host: evil.example\r\n@bob.example',
      '<b/>@bob.example',
      '&x;',
      'a"@b.example',
      '',
    ])
      expect((await send(outlook(address))).body).not.toMatch(/LoginName|evil/)
    for (const body of ['<!DOCTYPE a SYSTEM "http://evil.example/a.dtd"><a/>', '<a/><!entity x "y">'])
      expect((await send(body)).status).toBe(400)
    expect((await send(' '.repeat(8193))).status).toBe(413)
    expect((await send(' '.repeat(8192))).status).toBe(200)
    const chunks = await send(' '.repeat(20_000), { 'transfer-encoding': 'chunked' })
    expect(chunks.status).toBe(413)
    const own = await send(outlook('a@bob.example'), {
      'x-panel-host': 'evil.example',
      'x-panel-schema': 'mobilesync',
    })
    expect(own.body).toContain(`<Server>mail.${name}</Server>`)
  })

  test('are not found where the mail is elsewhere', async () => {
    const { ask } = await site({ mail: { labels: mail.labels, proven: [] } })
    expect((await ask(`autoconfig.${name}`, config)).status).toBe(404)
    expect((await ask(`autodiscover.${name}`, post)).status).toBe(404)
    expect((await ask(name, file)).status).toBe(404)
  })

  test('are not found while the account is suspended', async () => {
    const { ask } = await site({}, true)
    expect((await ask(`autoconfig.${name}`, config)).status).toBe(404)
    expect((await ask(name, file)).status).toBe(503)
  })

  test('come after redirects of the site', async () => {
    const target = 'https://e.example'
    const { ask } = await site({ redirects: [redirect('/.well-known/autoconfig', { match: 'prefix', target })] })
    expect((await ask(name, file)).status).toBe(301)
    expect((await ask(`autoconfig.${name}`, config)).status).toBe(200)
  })

  test('come after a file of the site', async () => {
    const { root, ask } = await site()
    const folder = join(root, `home/bob/sites/${name}/public/.well-known/autoconfig/mail`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config-v1.1.xml'), 'own')
    expect((await ask(name, file)).body).toBe('own')
  })

  test('are answered 60 times, and then as fast as one a second', async () => {
    const { ask } = await site()
    const all = await Promise.all(Array.from({ length: 200 }, () => ask(`autoconfig.${name}`, config)))
    const answered = all.filter(({ status }) => status === 200).length
    expect(answered).toBeGreaterThanOrEqual(60)
    expect(answered).toBeLessThan(100)
    expect(all.filter(({ status }) => status === 429)).toHaveLength(200 - answered)
  })
})

test.each([
  { labels: ['evil'], proven: [] },
  { labels: ['mail', 'mail', 'mail', 'mail', 'mail'], proven: [] },
  { labels: ['mail'], proven: ['www'] },
  { labels: ['mail'], proven: [], server: 'mail.bob.example;\n}' },
  { labels: ['mail'], proven: [], server: 'a b' },
  { labels: ['mail'], proven: [], names: ['mail.alice.example'] },
])('names that are not those of the site are refused: %j', (wrong) => {
  const sites = [{ ...siteOf(name), mail: wrong }]
  expect(() => checkAccount(account({ parts: { web: { sites } } }))).toThrow()
})
