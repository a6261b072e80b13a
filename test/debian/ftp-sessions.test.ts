import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { run } from '../../src/host/debian/commands.ts'
import { Ftp } from '../../src/host/debian/ftp/ftp.ts'
import { endSessions } from '../../src/host/debian/ftp/logins.ts'
import { scoreboard } from '../../src/host/debian/ftp/places.ts'
import { domainsIn } from '../domains/fixtures.ts'
import { password, withAlice } from '../ftp/fixtures.ts'
import { hasProFtpd, ProFtpd } from '../ftp/proftpd.ts'
import { account, nameOf, tempDir } from '../host/helpers.ts'

const web = 'web@alice.example'
/** ProFTPD's list stores 31 characters, which these share. */
const [long, alike] = [
  'a-login-of-thirty-two-characters@alice.example',
  'a-login-of-thirty-two-characters@shop.example',
]

async function serving() {
  const { panel, alice, login } = await withAlice()
  await domainsIn(panel, alice.id).domain('shop.example')
  for (const name of [web, long, alike]) await login(name, { directory: '/' })
  writeFileSync(join(panel.dir, 'host/home/alice/big'), Buffer.alloc(2_000_000))
  const server = await new ProFtpd(panel).start()
  onTestFinished(() => server.stop())
  const ftp = new Ftp(run, server.dir)
  const open = async () => (await ftp.sessions()).map(({ login, protocol }) => `${protocol} ${login}`).sort()
  return { panel, server, ftp, open }
}

describe.skipIf(!hasProFtpd)('sessions of a ProFTPD on loopback', { timeout: 60_000 }, () => {
  test('lists all sessions, FTP and SFTP, once they have logged in', async () => {
    const { server, ftp, open } = await serving()
    expect(await open()).toEqual([])
    const before = Date.now()
    await server.open(long, password)
    await server.open(alike, password)
    server.slow(web, password, '/big')
    await expect.poll(open).toEqual([`ftp ${long}`, `ftp ${alike}`, `sftp ${web}`])
    for (const { address, since } of await ftp.sessions()) {
      expect(address).toBe('127.0.0.1')
      expect(since).toBeGreaterThan(before - 2_000)
    }
  })

  test('ends the sessions of a login, even with a long name, and no others', async () => {
    const { server, open } = await serving()
    await server.open(long, password)
    await server.open(alike, password)
    server.slow(web, password, '/big')
    await expect.poll(open).toEqual([`ftp ${long}`, `ftp ${alike}`, `sftp ${web}`])
    await endSessions(run, [alike], server.dir)
    expect(await open()).toEqual([`ftp ${long}`, `sftp ${web}`])
    await endSessions(run, [web], server.dir)
    expect(await open()).toEqual([`ftp ${long}`])
  })

  test('removes the sessions of a removed account from the list', async () => {
    const { panel, server, ftp, open } = await serving()
    const folder = 'etc/panel/ftp/passwd.d'
    cpSync(join(panel.dir, 'host', folder), join(server.dir, folder), { recursive: true })
    await server.open(long, password)
    await server.open(web, password)
    await ftp.endSessions({ ...nameOf(account()), username: 'bob' })
    expect(await open()).toEqual([`ftp ${long}`, `ftp ${web}`])
    await ftp.endSessions({ ...nameOf(account()), username: 'alice' })
    expect(await run('/usr/bin/ftpwho', ['-f', join(server.dir, scoreboard)])).not.toContain('@')
  })
})

test('without ProFTPD ever running there are none', async () => {
  const refused = () => Promise.reject(new Error('ftpwho has no list'))
  expect(await new Ftp(refused, tempDir()).sessions()).toEqual([])
})
