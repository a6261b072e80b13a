import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Dialogue, hasScript, typed } from './pty.ts'
import { ensureBuilt } from './run.ts'
import { account, ids, type Stub, startStub } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
})
beforeEach(() => stub.reset())
afterAll(() => stub.close())

const at = () => ({ PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' })
const onTerminal = (line: string, dialogue: Dialogue = []) => typed(line, at(), dialogue)

describe.runIf(hasScript)('on a terminal', () => {
  test('aligns a table in columns', async () => {
    const { code, text } = await onTerminal('accounts list --columns username,status,created_at')
    expect(code).toBe(0)
    expect(text).toMatch(/^USERNAME {2}STATUS {5}CREATED\nalice {5}active {5}\d+ y ago\n/)
  })

  test('a terminal that does not report its width counts as 80 columns', async () => {
    const { text } = await typed('accounts list --columns username,status', at(), [], 0)
    expect(text).toMatch(/^USERNAME {2}STATUS\nalice {5}active\n/)
  })

  test('columns without any value give way where there is little room', async () => {
    const zone = { id: ids.alice, name: 'alice.example' }
    const value = `v=spf1 ${'a:mail.alice.example '.repeat(2)}-all`
    const items = [{ id: ids.alice, name: 'alice.example', type: 'TXT', ttl: 3600, value }]
    stub.handle(({ path }) => {
      if (path === '/lookup') return { body: { items: [{ ...zone, kind: 'zone', account_id: ids.alice }] } }
      return path.endsWith('/records') ? { body: { items, total: 1 } } : undefined
    })
    const { text } = await onTerminal('dns records alice.example')
    expect(text).toContain('v=spf1 a:mail.alice.example')
    expect(text).not.toMatch(/WEIGHT|PORT|FLAGS/)
  })

  test('prints one object as a card', async () => {
    const { text } = await onTerminal('packages show large --columns name,disk_quota_mb,max_sql')
    expect(text).toBe('NAME           large\nDISK QUOTA MB  9000\nMAX SQL        unlimited\n')
  })

  test('a card omits a file in an object, which --select prints', async () => {
    const services = [{ protocol: 'imap', host: 'host.example', port: 993, security: 'tls' }]
    const autoconfig = '<?xml version="1.0"?>\n<clientConfig/>\n'
    const files = { autoconfig, autodiscover: autoconfig, mobileconfig: autoconfig }
    const config = {
      address: 'info@alice.example',
      login: 'info@alice.example',
      incoming: services,
      outgoing: services,
    }
    stub.handle(({ path }) => ({
      body: path.endsWith('/lookup')
        ? {
            items: [{ kind: 'mailbox', id: ids.alice, name: config.address, account_id: ids.alice, username: 'alice' }],
          }
        : { ...config, ...files },
    }))
    const { text } = await onTerminal('email client-config info@alice.example')
    const table = 'PROTOCOL  HOST          PORT  SECURITY\nimap      host.example  993   tls\n'
    expect(text).toBe(
      `ADDRESS  info@alice.example\nLOGIN    info@alice.example\n\nincoming:\n${table}\noutgoing:\n${table}`,
    )
    const selected = await onTerminal('email client-config info@alice.example --select autoconfig')
    expect(selected.text).toBe(`${autoconfig}\n`)
  })

  test('prints the state of the host as a card, and a table for each of its lists', async () => {
    const services = [
      { name: 'nginx', unit: 'nginx.service', state: 'active', version: '1.22.1-9' },
      { name: 'php', version: '8.2.29-1' },
    ]
    const names = [
      { name: 'host.example', use: 'panel', addresses: [], resolves_here: false, record: 'host.example. A 192.0.2.7' },
    ]
    const machine = { system: 'Debian 12', services, quota: 'ext4', cgroup: 2, unenforced: [] }
    const [agent, counts] = [{ status: 'running' }, { accounts: 2, suspended: 0 }]
    stub.handle(() => ({ body: { driver: 'debian', agent, counts, machine, names, trust_tenants: false } }))
    const { text } = await onTerminal('host status')
    const [card, ...tables] = text.trimEnd().split('\n\n')
    expect(card).toMatch(/^DRIVER +debian\nAGENT STATUS +running\n/)
    expect(card).not.toContain('{')
    expect(tables).toEqual([
      'machine.services:\nNAME   UNIT           STATE   VERSION\nnginx  nginx.service  active  1.22.1-9\nphp    -              -       8.2.29-1',
      'names:\nNAME          USE    RESOLVES HERE  RECORD\nhost.example  panel  no             host.example. A 192.0.2.7',
    ])
  })

  test('a long list ends after a screenful, and says so', async () => {
    const many = Array.from({ length: 100 }, (_, at) => account(`user${at}`, ids.alice))
    stub.handle(() => ({ body: { items: many, total: 852 } }))
    const { text } = await onTerminal('accounts list')
    expect(text).toContain('showing 100 of 852; --all shows the rest')
    expect(stub.lines()).toEqual(['GET /accounts?page=1&per_page=100'])
  })

  test('cuts a wide table to the width', async () => {
    stub.handle(() => ({ body: { items: [account('alice', ids.alice, { main_domain: 'x'.repeat(300) })], total: 1 } }))
    const { text } = await onTerminal('accounts list')
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
  })

  test('escape codes in names are shown escaped', async () => {
    stub.handle(() => ({ body: { items: [account('a\u001b]0;owned\u0007b', ids.alice)], total: 1 } }))
    const { text } = await onTerminal('accounts list --columns username')
    expect(text).toContain('a\\x1b]0;owned\\x07b')
  })

  test('asks for missing input', async () => {
    const { code } = await onTerminal('accounts create --no-wait', [
      ['Username', 'zed\r'],
      ['Main domain', 'z.example\r'],
    ])
    expect(code).toBe(0)
    expect(stub.requests.at(-1)?.body).toEqual({ username: 'zed', domain: 'z.example' })
  })

  test('offers packages from a list', async () => {
    const { code } = await onTerminal('accounts set-package alice --no-wait', [
      ['default', 'larg'],
      ['❯ large', '\r'],
    ])
    expect(code).toBe(0)
    expect(stub.requests.at(-1)?.body).toEqual({ package_id: expect.any(String) })
  })

  test('asks for a password twice and does not show it', async () => {
    const { code, text } = await onTerminal('accounts set-password alice', [
      ['password', 'correct horse\r'],
      ['Repeat it', 'correct horse\r'],
    ])
    expect(code).toBe(0)
    expect(stub.requests.at(-1)?.body).toEqual({ new_password: 'correct horse' })
    expect(text).not.toContain('correct')
  })

  test('asks before a deletion, and takes no as no', async () => {
    const { code, text } = await onTerminal('packages delete small', [['Delete the package small on 127.0.0.1', 'n\r']])
    expect(code).toBe(1)
    expect(text).toContain('Not confirmed')
    expect(stub.requests.some(({ method }) => method === 'DELETE')).toBe(false)
  })

  test('terminate asks for the name', async () => {
    const wrong = await onTerminal('accounts terminate alice', [['Type alice', 'alise\r']])
    expect(wrong.code).toBe(1)
    const right = await onTerminal('accounts terminate alice', [['Type alice', 'alice\r']])
    expect(right.code).toBe(0)
    expect(stub.lines()).toContain(`DELETE /accounts/${ids.alice}?confirm=alice`)
  })

  test('a failed job leaves its log on the screen', async () => {
    const job = { id: ids.job, kind: 'account.suspend', status: 'failed', progress_pct: 40, error: 'the disk is full' }
    const log = [{ at: 1, level: 'error', message: 'cannot write' }]
    stub.handle(({ path }) => (path === `/jobs/${ids.job}` ? { body: { job, log } } : undefined))
    const { code, text } = await onTerminal('accounts suspend alice')
    expect(code).toBe(9)
    expect(text).toContain('  error: cannot write\nerror: job')
    expect(text).toContain('the disk is full')
  })
})
