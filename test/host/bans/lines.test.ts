import { expect, test } from 'vitest'
import { ofMailLog, signInOf } from '../../../src/host/debian/bans/lines.ts'

const brief = (unit: string, line: string): unknown[] | undefined => {
  const found = signInOf(unit, line)
  return found && [found.outcome, found.service, found.address, found.name, found.times]
}
const session = 'TLS: Connection closed, session=<Pej5r1dhXIMKTQBk>'
const imap = (user: string, rip = '203.0.113.7'): string =>
  `imap-login: Login aborted: Connection closed (auth failed, 2 attempts in 2 secs) (auth_failed): user=<${user}>, method=PLAIN, rip=${rip}, lip=10.0.0.1, ${session}`
const ftp = '0.0.0.0 (203.0.113.7[203.0.113.7]) - USER'

test.each([
  ['ssh', 'Failed password for alice from 203.0.113.7 port 34308 ssh2', ['failed', 'ssh', '203.0.113.7', 'alice', 1]],
  ['ssh', 'Failed password for root from 2001:db8::7 port 34308 ssh2', ['failed', 'ssh', '2001:db8::7', 'root', 1]],
  [
    'ssh',
    'Failed keyboard-interactive/pam for invalid user x from 203.0.113.7 port 9 ssh2',
    ['failed', 'ssh', '203.0.113.7', 'x', 1],
  ],
  [
    'ssh',
    'Connection closed by authenticating user alice 203.0.113.7 port 34294 [preauth]',
    ['failed', 'ssh', '203.0.113.7', 'alice', 1],
  ],
  [
    'ssh',
    'Accepted publickey for root from 203.0.113.7 port 34294 ssh2: ED25519 SHA256:abc',
    ['succeeded', 'ssh', '203.0.113.7', 'root', 1],
  ],
  ['dovecot', imap('info@alice.example'), ['failed', 'imap', '203.0.113.7', 'info@alice.example', 2]],
  [
    'dovecot',
    imap('info@alice.example').replace('imap', 'managesieve').replace('Login aborted', 'Disconnected'),
    ['failed', 'sieve', '203.0.113.7', 'info@alice.example', 2],
  ],
  [
    'dovecot',
    'pop3-login: Logged in: user=<info@alice.example>, method=PLAIN, rip=203.0.113.7, lip=10.0.0.1, mpid=5, TLS, session=<a>',
    ['succeeded', 'pop3', '203.0.113.7', 'info@alice.example', 1],
  ],
  ['proftpd', `${ftp} alice (Login failed): Incorrect password`, ['failed', 'ftp', '203.0.113.7', 'alice', 1]],
  [
    'proftpd',
    `${ftp} no one: no such user found from 203.0.113.7 [203.0.113.7] to ::ffff:10.0.0.1:21`,
    ['failed', 'ftp', '203.0.113.7', undefined, 1],
  ],
])('%s: %s', (unit, line, expected) => {
  expect(brief(`${unit}.service`, line)).toEqual(expected)
})

test.each([
  // What was typed as a name, in the place of an address.
  ['ssh', 'Failed password for invalid user nobody from 1.2.3.4 port 22 ssh2 from 203.0.113.7 port 34308 ssh2'],
  ['ssh', 'Connection closed by invalid user nobody 1.2.3.4 port 22 [preauth] 203.0.113.7 port 34308 [preauth]'],
  ['proftpd', `${ftp} x (1.2.3.4[1.2.3.4]) - USER root (Login failed): Incorrect password`],
])('%s counts the connection in %s', (unit, line) => {
  const found = signInOf(`${unit}.service`, line)
  expect([found?.address, found?.name]).toEqual(['203.0.113.7', undefined])
})

test.each([
  ['dovecot', imap('a>, method=PLAIN, rip=1.2.3.4, lip=1.1.1.1, TLS, session=<x>')],
  ['dovecot', `${imap('a').replace(/rip=.*/, '')}rip=1.2.3.4, lip=1.1.1.1, TLS, session=<AAAA>xxxxxxx`],
  // Cut where the name ends as a line would.
  ['ssh', `Failed password for invalid user ${'x'.repeat(950)} from 1.2.3.4 port 22 ssh2`],
  ['dovecot', imap('a').padStart(600)],
  ['ssh', 'Failed password for root from 1.2.3.4 port 22 ssh2\nx'],
  ['ssh', 'Failed password for root from example.com port 22 ssh2'],
  ['nginx', 'Failed password for root from 1.2.3.4 port 22 ssh2'],
  ['ssh', 'pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=1.2.3.4'],
])('%s is not read: %s', (unit, line) => {
  expect(signInOf(`${unit}.service`, line)).toBeUndefined()
})

test('Postfix: a failure of this minute, from the address of the connection', () => {
  const now = new Date(2026, 10, 28, 15, 18, 41).getTime()
  const line =
    'Nov 28 15:18:40 host postfix/submissions/smtpd[23084]: warning: unknown[203.0.113.7]: SASL PLAIN authentication failed: (reason unavailable), sasl_username=info@alice.example'
  const expected = { outcome: 'failed', service: 'smtp', address: '203.0.113.7', name: 'info@alice.example', times: 1 }
  expect(ofMailLog(line, now)).toEqual(expected)
  expect(ofMailLog(line, now + 3_600_000)).toBeUndefined()
  expect(ofMailLog(line.replace('smtpd', 'cleanup'), now)).toBeUndefined()
  const forged = line.replace('unknown[203', 'a]: SASL LOGIN authentication failed: x[1.2.3.4], unknown[203')
  expect(ofMailLog(forged, now)).toBeUndefined()
})
