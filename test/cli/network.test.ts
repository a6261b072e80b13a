import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { networkError } from '../../src/cli/request/network.ts'
import type { ServerTarget } from '../../src/cli/target/target.ts'
import { ownCertificate } from '../../src/server/tls.ts'
import { inProcess } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'panel-tls-'))
const certificate = join(folder, 'trusted.pem')
let server: ReturnType<typeof createServer>
let url = ''

beforeAll(async () => {
  const pair = await ownCertificate(folder, 'localhost', Date.now())
  writeFileSync(certificate, pair.cert)
  server = createServer(pair, (_request, response) => response.end('{"items":[],"total":0}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://localhost:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

describe('TLS', () => {
  test('refuses an unknown certificate', async () => {
    const { code, stdout, stderr } = await inProcess(['accounts', 'list'], { PANEL_URL: url, PANEL_TOKEN: 'pnl_x' })
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(stderr).toContain('PANEL_CACERT')
  })

  test('accepts a certificate with PANEL_CACERT', async () => {
    const env = { PANEL_URL: url, PANEL_TOKEN: 'pnl_x', PANEL_CACERT: certificate }
    expect(await inProcess(['accounts', 'list', '-q'], env)).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('needs a readable certificate file', async () => {
    const env = { PANEL_URL: url, PANEL_CACERT: join(folder, 'missing.pem') }
    expect((await inProcess(['accounts', 'list'], env)).code).toBe(2)
  })
})

describe('local socket', () => {
  const target: ServerTarget = {
    url: new URL('http://localhost/api/v1'),
    socket: '/x/panel.sock',
    label: '',
    source: '',
  }
  const failing = (code: string) => networkError(Object.assign(new Error(code), { code }), target)

  test('reports a permission error for a socket it may not open', () => {
    const { exit, problem } = failing('EACCES')
    expect(exit).toBe(4)
    expect(problem.title).toContain('/x/panel.sock')
    if (process.getuid?.() !== 0) expect(problem.hint).toContain('sudo')
  })

  test.each(['ENOENT', 'ECONNREFUSED'])('says how to start a server when there is none (%s)', (code) => {
    const { exit, problem } = failing(code)
    expect(exit).toBe(7)
    expect(problem.hint).toContain('panel serve')
  })
})
