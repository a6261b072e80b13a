import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { assemble } from '../../src/host/parts/assemble.ts'
import { sha512Crypt } from '../../src/shared/crypt.ts'
import { account, apply, bench, mailDomain, tempDir } from '../host/helpers.ts'

/** The real daemons read the files; without one its tests are skipped. */
const tools = {
  postmap: '/usr/sbin/postmap',
  doveconf: '/usr/bin/doveconf',
  doveadm: '/usr/bin/doveadm',
  dovecot: '/usr/sbin/dovecot',
  sieve: '/usr/bin/sieve-test',
}
const has = (...names: (keyof typeof tools)[]): boolean => names.every((name) => existsSync(tools[name]))

function run(command: string, args: readonly string[], input = ''): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 30_000, input })
  return { code: status, output: `${stdout}${stderr}` }
}

const box = {
  id: '01J00000000000000000000009',
  local: 'info',
  hash: sha512Crypt('correct horse', 'abcdefghijklmnop', createHash),
  noLogin: false,
  noIncoming: false,
  noOutgoing: false,
  gone: false,
}
const vacation = { subject: 'Away "now"', body: '"; keep; #\\\nBack soon.', days: 1 }

const domain = mailDomain('bob.example', {
  catchAll: 'info@bob.example',
  mailboxes: [
    { ...box, quotaMb: 500, perHour: 50, vacation },
    { ...box, id: '01J00000000000000000000008', local: 'noreply', noLogin: true, noIncoming: true },
  ],
  forwarders: [{ local: 'sales', destinations: ["o'neil+x@ext.example", 'info@bob.example'], keepCopy: true }],
})

/** A host with bob's mail. */
async function hosted() {
  const { driver, root, read } = bench()
  await apply(driver, account({ parts: { mail: { domains: [domain] } } }))
  return { root, read }
}

describe.skipIf(!has('postmap'))('maps that Postfix reads', () => {
  test('each address is delivered where it should', async () => {
    const { read } = await hosted()
    const dir = tempDir()
    // Neither a configuration of this machine nor its name is read.
    writeFileSync(join(dir, 'main.cf'), 'compatibility_level = 3.6\nmyhostname = host.example\n')
    const ask = (name: string, ...keys: string[]) => {
      const file = join(dir, name)
      writeFileSync(file, assemble([{ name: 'bob', content: read(`etc/panel/mail/${name}.d/bob`) }]))
      const { output } = run(tools.postmap, ['-c', dir, '-q', '-', `texthash:${file}`], `${keys.join('\n')}\n`)
      const found = new Map(output.split('\n').map((line) => line.split('\t') as [string, string]))
      return keys.map((key) => found.get(key))
    }
    expect(ask('aliases', 'sales@bob.example', '@bob.example', 'info@bob.example', 'x@bob.example')).toEqual([
      "o'neil+x@ext.example,info@bob.example",
      'info@bob.example',
      'info@bob.example',
      undefined,
    ])
    expect(ask('mailboxes', 'info@bob.example', 'nobody@bob.example')).toEqual(['bob.example/info/', undefined])
    expect(ask('senders', 'sales@bob.example')).toEqual(['info@bob.example'])
    expect(ask('closed', 'noreply@bob.example')).toEqual(['REJECT 5.2.1 Mailbox disabled'])
    expect(ask('rates', 'info@bob.example')).toEqual(['50'])
    expect(ask('domains', 'bob.example')).toEqual(['bob'])
  }, 60_000)
})

describe.skipIf(!has('sieve'))('scripts that Sieve compiles', () => {
  /** Dovecot does not deliver as root. */
  const user = process.getuid!() === 0 ? 'nobody' : String(process.getuid!())

  function deliver(script: string, message: string) {
    const dir = tempDir()
    const at = (name: string, text: string): string => {
      writeFileSync(join(dir, name), text)
      return join(dir, name)
    }
    const settings = [
      `mail_uid = ${user}`,
      'mail_gid = nogroup',
      `mail_home = ${dir}`,
      `mail_location = maildir:${dir}/m`,
    ]
    const conf = at('dovecot.conf', `${settings.join('\n')}\nfirst_valid_uid = 1\nssl = no\n`)
    const [copy, mail] = [at('script.sieve', readFileSync(script, 'utf8')), at('mail', message)]
    chmodSync(dir, 0o777)
    return run(tools.sieve, ['-c', conf, '-r', 'info@bob.example', '-f', 'x@ext.example', copy, mail])
  }

  const message = (header = '') => `From: x@ext.example\nTo: info@bob.example\nSubject: hi\n${header}\nHello\n`

  test('an autoresponder replies with its text, whatever it contains', async () => {
    const { root } = await hosted()
    const script = join(root, `etc/panel/mail/sieve.d/bob/${box.id}.sieve`)
    const { code, output } = deliver(script, message())
    expect([code, output]).toEqual([0, expect.stringContaining('Away "now"')])
    expect(output).toContain('"; keep; #\\')
    expect(output).toContain('store message in folder: INBOX')
  })

  test('spam goes to its folder, and nothing else does', async () => {
    const { root } = await hosted()
    const script = join(root, 'etc/panel/mail/sieve.d/bob/spam-bob.example.sieve')
    expect(deliver(script, message('X-Spam-Level: *******\n')).output).toContain('Junk')
    expect(deliver(script, message('X-Spam-Level: *****\n')).output).not.toContain('Junk')
  })
})

/** 2.4 uses another syntax for the same. */
const isOld = has('dovecot') && run(tools.dovecot, ['--version']).output.startsWith('2.3')

describe.skipIf(!has('doveconf', 'doveadm') || !isOld)('logins that Dovecot reads', () => {
  test('the hash of a login matches only its password', async () => {
    const { root } = await hosted()
    const dir = tempDir()
    mkdirSync(join(dir, 'passwd.d'))
    cpSync(join(root, 'etc/panel/mail/passwd.d'), join(dir, 'passwd.d'), { recursive: true })
    chmodSync(dir, 0o755)
    const conf = join(dir, 'dovecot.conf')
    const args = `username_format=%Ln ${dir}/passwd.d/%Ld`
    writeFileSync(
      conf,
      [
        `base_dir = ${dir}/run`,
        `state_dir = ${dir}/state`,
        'ssl = no',
        'protocols =',
        'first_valid_uid = 20000',
        'mail_location = maildir:~/Maildir',
        'passdb {',
        '  driver = passwd-file',
        `  args = scheme=SHA512-CRYPT ${args}`,
        '}',
        'userdb {',
        '  driver = passwd-file',
        `  args = ${args}`,
        '}',
      ].join('\n'),
    )
    expect(run(tools.doveconf, ['-c', conf, '-n']).code).toBe(0)
    const text = readFileSync(join(dir, 'passwd.d/bob.example'), 'utf8')
    const [, line] = /^(info:.*)$/m.exec(text)!
    expect(line!.split(':').slice(7).join(':')).toMatch(/^userdb_quota_rule=\*:storage=500M userdb_sieve_before=/)
    const [, hash] = line!.split(':')
    const pw = (password: string) =>
      run(tools.doveadm, ['-c', conf, 'pw', '-t', `{SHA512-CRYPT}${hash}`, '-p', password])
    expect(pw('correct horse').output).toContain('(verified)')
    expect(pw('wrong horse').output).not.toContain('(verified)')
  })
})
