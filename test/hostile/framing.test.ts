import { describe, expect, test } from 'vitest'
import { Target } from './raw.ts'

const target = new Target()
const host = 'Host: localhost\r\n'
const get = `GET /healthz HTTP/1.1\r\n${host}\r\n`
const post = (headers: string, body = ''): string =>
  `POST /api/v1/auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n${body}`

describe('request with an ambiguous end', () => {
  const smuggled = `0\r\n\r\n${get}`
  const shapes: readonly [string, string, number][] = [
    [
      'Content-Length and Transfer-Encoding',
      post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', smuggled),
      400,
    ],
    ['the other way round', post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', smuggled), 400],
    ['two lengths', post('Content-Length: 4\r\nContent-Length: 5\r\n', 'abcde'), 400],
    ['one length twice', post('Content-Length: 4\r\nContent-Length: 4\r\n', `abcd${get}`), 400],
    ['a list of lengths', post('Content-Length: 4, 4\r\n', `abcd${get}`), 400],
    ['a signed length', post('Content-Length: +4\r\n', 'abcd'), 400],
    ['a negative length', post('Content-Length: -4\r\n', 'abcd'), 400],
    ['a length in hex', post('Content-Length: 0x4\r\n', 'abcd'), 400],
    ['a length beyond all numbers', post('Content-Length: 99999999999999999999\r\n', 'abcd'), 400],
    ['an encoding that says nothing', post('Transfer-Encoding: identity\r\n', `abcd${get}`), 400],
    ['an encoding nobody knows', post('Transfer-Encoding: xchunked\r\n', smuggled), 400],
    ['chunked, but not at last', post('Transfer-Encoding: chunked, identity\r\n', smuggled), 400],
    ['two encodings', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', smuggled), 400],
    ['a blank before the colon', post('Transfer-Encoding : chunked\r\n', smuggled), 400],
    ['a folded encoding', post('Transfer-Encoding:\r\n chunked\r\n', smuggled), 400],
    ['a folded header', `GET /healthz HTTP/1.1\r\n${host}X-A: a\r\n b: c\r\n\r\n`, 400],
    ['bare line feeds', 'GET /healthz HTTP/1.1\nHost: localhost\n\n', 400],
    ['one bare line feed', 'GET /healthz HTTP/1.1\r\nHost: localhost\nX-A: b\r\n\r\n', 400],
    ['a bare carriage return', 'GET /healthz HTTP/1.1\r\nHost: localhost\rX-A: b\r\n\r\n', 400],
    ['a NUL in a header', `GET /healthz HTTP/1.1\r\n${host}X-A: a\0b\r\n\r\n`, 400],
    ['a blank in a name', `GET /healthz HTTP/1.1\r\n${host}X A: b\r\n\r\n`, 400],
    ['two hosts', `GET /healthz HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`, 400],
    ['two hosts, far apart', `GET / HTTP/1.1\r\n${host}${'a:1\r\n'.repeat(2500)}Host: evil.example\r\n\r\n`, 400],
    ['one host twice', `GET /healthz HTTP/1.1\r\n${host}${host}\r\n`, 400],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['a chunk of no size', post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'), 400],
    ['chunks with bare line feeds', post('Transfer-Encoding: chunked\r\n', '2\n{}\n0\n\n'), 400],
    ['a chunk longer than it says', post('Transfer-Encoding: chunked\r\n', '2\r\n{}XX0\r\n\r\n'), 400],
    ['chunk extensions without end', post('Transfer-Encoding: chunked\r\n', `2;${'a'.repeat(20_000)}`), 413],
    ['a head without end', `GET /healthz HTTP/1.1\r\n${host}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['thousands of headers', `GET / HTTP/1.1\r\n${host}${'X-Name: value\r\n'.repeat(4000)}\r\n`, 431],
    ['a target without end', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 431],
    ['a method nobody knows', `FOO /healthz HTTP/1.1\r\n${host}\r\n`, 400],
    ['the start of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['the start of TLS', '\x16\x03\x01\0\xc8\x01\0\0\xc4\x03\x03', 400],
  ]
  test.each(shapes)('answers once and closes the connection: %s', async (_, bytes, status) => {
    const { statuses, closed } = await target.send(Buffer.from(bytes, 'latin1'))
    expect([statuses, closed]).toEqual([[status], true])
  })

  test('explains an ambiguous end with a problem', async () => {
    const { text } = await target.send(post('Content-Length: 4\r\nContent-Length: 5\r\n'))
    const [head, body] = text.split('\r\n\r\n')
    expect(head).toMatch(/Content-Type: application\/problem\+json/i)
    expect(JSON.parse(body!)).toEqual({ type: 'about:blank', title: 'Bad Request', status: 400 })
  })
})

describe('consecutive requests on one connection', () => {
  test('answers requests in order', async () => {
    const requests = ['/healthz', '/api/v1/nothing', '/api/v1/token', '/healthz']
    const bytes = requests.map((path) => `GET ${path} HTTP/1.1\r\n${host}\r\n`).join('')
    const { statuses, closed } = await target.send(bytes, 4)
    expect([statuses, closed]).toEqual([[200, 404, 401, 200], false])
  })
  test('answers all requests, even a thousand at once', async () => {
    const { statuses } = await target.send(get.repeat(1000), 1000)
    expect(statuses).toEqual(Array(1000).fill(200))
  })
  test('ends with the first invalid request, and answers the one before it', async () => {
    const { statuses, closed } = await target.send(`${get}GARBAGE\r\n\r\n${get}`)
    expect([statuses, closed]).toEqual([[200], true])
  })
  test("a GET's body is not mistaken for the next request", async () => {
    const inner = 'DELETE /x HTTP/1.1\r\nHost: x\r\n\r\n'
    const bytes = `GET /healthz HTTP/1.1\r\n${host}Content-Length: ${inner.length}\r\n\r\n${inner}${get}`
    const { statuses, closed } = await target.send(bytes, 2)
    expect([statuses, closed]).toEqual([[200, 200], false])
  })
})

describe('odd targets', () => {
  const targets: readonly [string, number][] = [
    ['//', 404],
    ['//api/v1/token', 404],
    ['//evil.example/healthz', 404],
    ['/api/v1//token', 404],
    ['/api/v1/token/', 404],
    ['/api/v1/../../healthz', 200],
    ['/api/v1/%2e%2e/%2e%2e/healthz', 200],
    ['/../../../../etc/passwd', 404],
    ['/api%2fv1%2ftoken', 404],
    ['/api/v1/%00', 404],
    ['/api/v1/token%00', 404],
    ['/api/v1/accounts-check?username=%00&domain=%ff', 401],
    ['/healthz#fragment', 200],
    ['/healthz?%zz=%', 200],
    ['http://evil.example/healthz', 200],
    ['http://evil.example/api/v1/token', 401],
    ['http://[::1/healthz', 400],
    ['ftp://evil.example/healthz', 400],
    ['*', 400],
  ]
  test.each(targets)('finds what a target names when parsed as a URL, or nothing: %s', async (path, status) => {
    const { statuses, text } = await target.send(`GET ${path} HTTP/1.1\r\n${host}\r\n`)
    expect(statuses).toEqual([status])
    expect(text).not.toContain('evil.example')
  })
  test.each(['a b', 'x/../y', 'user@evil', '[::1', 'a:99999', 'a\\b'])('refuses an invalid host: %s', async (name) => {
    const { statuses } = await target.send(`GET /api/v1/token HTTP/1.1\r\nHost: ${name}\r\n\r\n`)
    expect(statuses).toEqual([400])
  })
  test.each(['OPTIONS', 'TRACE', 'PROPFIND'])('refuses %s', async (method) => {
    const { statuses } = await target.send(`${method} /api/v1/token HTTP/1.1\r\n${host}\r\n`)
    expect(statuses).toEqual([405])
  })
  test('a tunnel is not opened', async () => {
    const { statuses, closed } = await target.send(`CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`)
    expect([statuses, closed]).toEqual([[], true])
  })
})

test('none of this caused an internal error', () => {
  expect(target.panel.logged.filter((line) => /^error/.test(line))).toEqual([])
})
