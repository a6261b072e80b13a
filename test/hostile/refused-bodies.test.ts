import { beforeAll, describe, expect, test } from 'vitest'
import { statusesIn, Target } from './raw.ts'

const target = new Target()
const host = 'Host: host.example\r\n'
const bytes = ' '.repeat(1024 * 1024)
const next = `GET /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`

let refused: string
beforeAll(async () => {
  const { id } = await target.panel.account('alice')
  const token = await target.panel.token(['accounts:write'])
  const head = `PUT /api/v1/accounts/${id}/files/content?path=../x HTTP/1.1\r\n${host}`
  refused = `${head}Authorization: Bearer ${token}\r\nContent-Type: application/octet-stream\r\n`
})

describe('refused body of a caller with credentials', () => {
  test.each([
    [`Content-Length: ${bytes.length}`, bytes],
    ['Transfer-Encoding: chunked', `100000\r\n${bytes}\r\n0\r\n\r\n`],
  ])('reads a refused body completely, and keeps the connection open: %s', async (length, body) => {
    const raw = target.open()
    raw.write(`${refused}${length}\r\n\r\n`)
    raw.write(body)
    raw.write(next)
    await raw.ended()
    expect(statusesIn(raw.text)).toEqual([400, 200])
  })

  test('does not read a refused body that is too long, and closes the connection', async () => {
    const raw = target.open()
    raw.write(`${refused}Content-Length: 1000000000\r\n\r\n`)
    raw.write(bytes)
    await raw.ended()
    expect(statusesIn(raw.text)).toEqual([413])
    expect(raw.text).toMatch(/^connection: close\r$/im)
  })
})
