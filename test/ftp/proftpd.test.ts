import { renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { host, password, withAlice } from './fixtures.ts'
import { hasProFtpd, ProFtpd } from './proftpd.ts'

async function serving() {
  const input = await withAlice()
  const { panel, login } = input
  const deploy = await login('deploy@alice.example')
  await login('all@alice.example', { directory: '/' })
  const server = await new ProFtpd(panel).start()
  onTestFinished(() => server.stop())
  const file = join(panel.dir, 'upload')
  writeFileSync(file, 'uploaded')
  return { ...input, server, deploy, file, ...host(panel) }
}

const refused = 67
const name = 'deploy@alice.example'

describe.skipIf(!hasProFtpd)('ProFTPD on loopback', { timeout: 60_000 }, () => {
  test('confines a login by FTP to its directory', async () => {
    const { server, file, has } = await serving()
    expect(server.ftp(name, password, '/one.txt', '-T', file).status).toBe(0)
    expect(has('home/alice/sites/alice.example/public/one.txt')).toBe(true)
    expect(server.ftp(name, password, '/').stdout).toContain('one.txt')
    expect(server.ftp(name, password, '/../../../', '--list-only').stdout).not.toContain('sites')
    expect(server.ftp('all@alice.example', password, '/', '--list-only').stdout).toContain('sites')
    expect(server.ftp(name, 'wrong-password', '/').status).toBe(refused)
    expect(server.ftp('alice', '!', '/').status).toBe(refused)
  })

  test('confines a login by SFTP to its directory, with the same password', async () => {
    const { server, file, has } = await serving()
    expect(server.sftp(name, password, '/two.txt', '-T', file)).toMatchObject({ status: 0, stderr: '' })
    expect(has('home/alice/sites/alice.example/public/two.txt')).toBe(true)
    expect(server.sftp(name, password, '/two.txt').stdout).toBe('uploaded')
    expect(server.sftp(name, password, '/../../../../../../etc/passwd').status).not.toBe(0)
    expect(server.sftp(name, 'wrong-password', '/two.txt').status).toBe(refused)
  })

  test('applies a new password, a suspension and a deletion at once', async () => {
    const { panel, alice, server, deploy } = await serving()
    const next = 'canary-Scaup-8853'
    await panel.post(`${deploy.path}/password`, { new_password: next })
    await panel.settle()
    server.follow()
    expect([server.ftp(name, password, '/').status, server.ftp(name, next, '/').status]).toEqual([refused, 0])
    await panel.post(`/accounts/${alice.id}/suspend`, {})
    await panel.settle()
    server.follow()
    expect(server.ftp(name, next, '/').status).toBe(refused)
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await panel.delete(deploy.path)
    await panel.settle()
    server.follow()
    expect(server.ftp(name, next, '/').status).toBe(refused)
    expect(server.ftp('all@alice.example', password, '/').status).toBe(0)
  })

  test('refuses a login whose directory was replaced by a link', async () => {
    const { server, at } = await serving()
    renameSync(at('home/alice/sites/alice.example/public'), at('home/alice/real'))
    symlinkSync('/etc', at('home/alice/sites/alice.example/public'))
    server.follow()
    expect(server.ftp(name, password, '/').status).not.toBe(0)
  })
})
