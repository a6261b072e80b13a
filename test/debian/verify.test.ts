import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Run } from '../../src/host/debian/commands.ts'
import { ftp } from '../../src/host/debian/verify/ftp.ts'
import { http } from '../../src/host/debian/verify/http.ts'
import { mail } from '../../src/host/debian/verify/mail.ts'
import type { Probed } from '../../src/host/debian/verify/probe.ts'
import { sql } from '../../src/host/debian/verify/sql.ts'
import { talk } from '../../src/host/debian/verify/talk.ts'
import { account, server, tempDir } from '../host/helpers.ts'

/** A service that greets, answers each line, and records what it received. */
async function service(
  greeting: string,
  answers: (line: string) => string,
): Promise<{ port: number; received: string[] }> {
  const received: string[] = []
  const listening = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(`${greeting}\r\n`)
    socket.on('data', (text) => {
      received.push(String(text).trim())
      socket.write(answers(String(text)))
    })
  })
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void listening.close())
  return { port: (listening.address() as AddressInfo).port, received }
}

const run: Run = async () => ''
const probed = (over: object, runs: Run = run): Probed => {
  const input = account()
  return { account: { ...input, parts: { ...input.parts, ...over } } as never, server, run: runs, suite: {} as never }
}

const box = { id: 'x', local: 'info', hash: 'x', noLogin: false, noIncoming: false, noOutgoing: false, gone: false }
const domain = { domain: 'bob.example', routing: 'local', dkim: [], mailboxes: [box], forwarders: [] }
const state = { spamFilter: false, spamBox: false, spamScore: 6, domains: [domain] }

describe('check of mail', () => {
  test('checks mail with a recipient, and with a login that lasts no longer than the check', async () => {
    const file = join(tempDir(), 'once')
    writeFileSync(file, 'other@x.example:hash\n')
    const during: string[] = []
    const smtp = await service('220 here', (line) =>
      line.startsWith('QUIT') ? '221 bye\r\n' : '250-more\r\n250 ok\r\n',
    )
    const imap = await service('* OK [CAPABILITY IMAP4rev1] ready', (line) => {
      during.push(readFileSync(file, 'utf8'))
      return `* STATUS INBOX (MESSAGES 0)\r\n${line.slice(0, 1)} OK done\r\n`
    })
    const ports = { smtp: smtp.port, imap: imap.port }
    const reread = async () => void during.push(`told ${imap.received.length}`)
    const results = await mail(() => {}, file, ports, reread)(probed({ mail: state }))
    expect(results).toEqual([
      { probe: 'smtp info@bob.example', ok: true, message: 'mail is taken' },
      { probe: 'imap info@bob.example', ok: true, message: 'the mailbox opens' },
    ])
    expect(smtp.received.slice(1, 4)).toEqual(['MAIL FROM:<>', 'RCPT TO:<info@bob.example>', 'QUIT'])
    expect(during.shift()).toBe('told 0')
    expect(during[0]).toMatch(
      /^other@x\.example:hash\ninfo@bob\.example:\$6\$\S+::::::allow_real_nets=127\.0\.0\.1,::1\n$/,
    )
    expect(readFileSync(file, 'utf8')).toBe('other@x.example:hash\n')
  })

  test('does not check mail where there is none', async () => {
    expect(await mail(() => {}, '/nowhere/once')(probed({ mail: state }))).toEqual([])
  })
})

describe('check of a site', () => {
  /** The result if the web server answers so. */
  async function output(status: number, suspended = false) {
    const nginx = createHttpServer((request, response) => void response.writeHead(status).end(request.headers.host))
    await new Promise<void>((resolve) => nginx.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void nginx.close())
    const site = { names: ['bob.example', 'www.bob.example'], tls: false }
    const { account: input, ...rest } = probed({ web: { sites: [site] } })
    const ports = { http: (nginx.address() as AddressInfo).port, https: 1 }
    return http(ports)({ ...rest, account: { ...input, suspended } })
  }

  test('keeps no connection to a site that never ends its answer', async () => {
    let ended = (): void => {}
    const gone = new Promise<void>((resolve) => {
      ended = resolve
    })
    const endless = createServer((socket) => {
      socket
        .on('error', () => {})
        .once('close', ended)
        .resume()
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nx')
    })
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void endless.close())
    const site = { names: ['bob.example'], tls: false }
    const ports = { http: (endless.address() as AddressInfo).port, https: 1 }
    expect(await http(ports)(probed({ web: { sites: [site] } }))).toMatchObject([{ ok: true, message: '200' }])
    await gone
  })

  test.each([200, 301, 403, 404])('counts a site that answers %i as served', async (status) => {
    expect(await output(status)).toEqual([{ probe: 'http bob.example', ok: true, message: String(status) }])
  })

  test.each([502, 504])('finds nothing behind a site that answers %i', async (status) => {
    const message = `The site answers ${status}: PHP or the app behind it does not.`
    expect(await output(status)).toEqual([{ probe: 'http bob.example', ok: false, message }])
  })

  test('expects 503 of a site while it is suspended, and only then', async () => {
    expect(await output(503, true)).toMatchObject([{ ok: true, message: '503' }])
    expect(await output(503)).toMatchObject([{ ok: false, message: 'The site answers 503.' }])
    expect(await output(200, true)).toMatchObject([
      { ok: false, message: 'The account is suspended, but the site answers 200.' },
    ])
  })
})

describe('check of FTP', () => {
  const logins = { logins: [{ login: 'web@bob.example', hash: 'x', directory: '/' }] }

  test('opens the home with a login that lasts no longer than the check', async () => {
    const file = join(tempDir(), 'passwd')
    writeFileSync(file, 'web@bob.example:x:1:1::/home/bob:/bin/false\n')
    const during: string[] = []
    const { port, received } = await service('220 here', (line) => {
      during.push(readFileSync(file, 'utf8'))
      return line.startsWith('USER') ? '331 go on\r\n' : line.startsWith('QUIT') ? '221 bye\r\n' : '230 in\r\n'
    })
    expect(await ftp(file, port)(probed({ ftp: logins }))).toEqual([
      { probe: 'ftp bob', ok: true, message: 'the home opens' },
    ])
    const login = received[0]!.replace('USER ', '')
    expect(during[0]).toMatch(new RegExp(`\\n${login}:\\$6\\$\\S+:20001:20001::/home/bob:/bin/false\\n$`))
    expect(readFileSync(file, 'utf8')).toBe('web@bob.example:x:1:1::/home/bob:/bin/false\n')
  })

  test('does not check FTP if the account has no login, or there is no server', async () => {
    expect(await ftp('/nowhere/passwd')(probed({ ftp: logins }))).toEqual([])
    expect(await ftp('/etc/passwd')(probed({ ftp: { logins: [] } }))).toEqual([])
  })
})

describe('conversation with a server', () => {
  test('ends with the answer if it is not the expected one', async () => {
    const { port } = await service('220 here', () => '550 5.1.1 no such user\r\n')
    const turns = [
      [undefined, /^220 /],
      ['RCPT TO:<x@y>', /^250 /],
    ] as const
    await expect(talk(port, turns)).rejects.toThrow('550 5.1.1 no such user')
  })

  test('fails if nothing listens', async () => {
    await expect(talk(1, [[undefined, /^220 /]])).rejects.toThrow('Port 1 cannot be reached')
  })
})

test.runIf(existsSync('/usr/bin/mariadb'))('a database is opened by a temporary user', async () => {
  const output: string[] = []
  const runs: Run = async (program, words, { input = '', env = {} } = {}) => {
    const user = words.find((word) => word.startsWith('--user=')) ?? ''
    output.push(`${program} ${user.replace(/[0-9a-f]{8}$/, 'X')} ${input.replaceAll(/[0-9a-f]{8,}/g, 'X').trim()}`)
    expect([user === '--user=root', 'MYSQL_PWD' in env]).toEqual([user === '--user=root', user !== '--user=root'])
    return input.startsWith('SELECT User') ? 'panel_probe_0badcafe\nelse\n' : ''
  }
  const databases = [
    { name: 'bob_shop', collation: 'utf8mb4_general_ci', gone: false },
    { name: 'bob_old', collation: 'utf8mb4_general_ci', gone: true },
  ]
  expect(await sql(probed({ db: { prefix: 'bob_', hosts: [], databases, users: [] } }, runs))).toEqual([
    { probe: 'sql bob_shop', ok: true, message: 'it opens to a log-in' },
  ])
  const root = '/usr/bin/mariadb --user=root'
  expect(output).toEqual([
    `${root} SELECT User FROM mysql.user WHERE User LIKE 'panel\\_probe\\_%';`,
    `${root} KILL CONNECTION USER 'panel_probe_X';\nDROP USER IF EXISTS 'panel_probe_X'@'localhost';`,
    `${root} CREATE USER 'panel_probe_X'@'localhost' IDENTIFIED BY 'X';\nGRANT SELECT ON \`bob\\_shop\`.* TO 'panel_probe_X'@'localhost';`,
    '/usr/bin/mariadb --user=panel_probe_X SELECT 1;',
    `${root} KILL CONNECTION USER 'panel_probe_X';\nDROP USER IF EXISTS 'panel_probe_X'@'localhost';`,
  ])
})
