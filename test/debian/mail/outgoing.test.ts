import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { composeMessage } from '../../../src/areas/mailer/compose.ts'
import { run } from '../../../src/host/debian/commands.ts'
import { handToPostfix, sendmail } from '../../../src/host/debian/mail/outgoing.ts'
import { startPanel } from '../../harness.ts'
import { readMessage } from '../../outgoing-mail.ts'

interface Delivery {
  readonly from: string
  readonly to: string
  readonly message: string
}

/** A mail server on loopback that takes one message. */
async function receiver(): Promise<{ port: number; delivery: Promise<Delivery> }> {
  let deliver: (one: Delivery) => void
  const delivery = new Promise<Delivery>((resolve) => {
    deliver = resolve
  })
  const server = createServer((socket) => void receive(socket).then((one) => one && deliver(one)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, delivery }
}

async function receive(socket: Socket): Promise<Delivery | undefined> {
  const lines: string[] = []
  let from = ''
  let to = ''
  let isData = false
  const say = (line: string) => socket.write(`${line}\r\n`)
  say('220 mx.example ESMTP')
  let rest = ''
  for await (const chunk of socket) {
    const parts = (rest + chunk).split('\r\n')
    rest = parts.pop()!
    for (const line of parts) {
      if (isData && line === '.') {
        say('250 queued')
        socket.end()
        return { from, to, message: lines.join('\n') }
      }
      if (isData) lines.push(line.replace(/^\.\./, '.'))
      else if (/^DATA/i.test(line)) {
        isData = true
        say('354 go on')
      } else {
        from = /^MAIL FROM:<(.*?)>/i.exec(line)?.[1] ?? from
        to = /^RCPT TO:<(.*?)>/i.exec(line)?.[1] ?? to
        say('250 mx.example')
      }
    }
  }
  return undefined
}

/** A Postfix beside the machine's own, which relays all mail to a port. */
function startPostfix(port: number): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-postfix-'))
  const config = join(dir, 'etc')
  for (const name of ['etc', 'queue', 'data']) mkdirSync(join(dir, name), { mode: 0o755 })
  execFileSync('/usr/bin/chmod', ['755', dir])
  chownSync(join(dir, 'data'), Number(execFileSync('/usr/bin/id', ['-u', 'postfix'])), 0)
  writeFileSync(join(config, 'main.cf'), mainOf(dir, port))
  writeFileSync(join(config, 'master.cf'), master)
  const postfix = (verb: string) => execFileSync('/usr/sbin/postfix', ['-c', config, verb], { stdio: 'ignore' })
  postfix('start')
  onTestFinished(() => {
    postfix('stop')
    rmSync(dir, { recursive: true, force: true })
  })
  return config
}

const mainOf = (dir: string, port: number): string => `compatibility_level = 3.6
myhostname = host.example
mydestination =
mynetworks =
alias_maps =
inet_protocols = ipv4
smtputf8_enable = no
disable_dns_lookups = yes
queue_directory = ${dir}/queue
data_directory = ${dir}/data
maillog_file = ${dir}/log
maillog_file_prefixes = ${dir}
relayhost = [127.0.0.1]:${port}
`

const master = `pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
smtp unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
postlog unix-dgram n - n - 1 postlogd
`

const canRun = process.getuid?.() === 0 && existsSync(sendmail) && existsSync('/usr/sbin/postfix')

test.runIf(canRun)('a message leaves by Postfix with an empty sender, and arrives as it was composed', async () => {
  const panel = await startPanel()
  const { port, delivery } = await receiver()
  const config = startPostfix(port)
  const id = panel.panel.runtime.id()
  const mail = {
    to: 'alice@mail.example',
    fromName: 'Ritas Höhle\r\nBcc: all@evil.example',
    subject: 'Grüße\nX-Evil: 1',
    text: `Hello <b>Alice</b>,\n\nhttps://host.example/reset-password?token=${'x'.repeat(43)}\n\n.\nFrom the panel.\n`,
  }
  const message = await composeMessage(panel.panel.runtime, id, panel.clock.now(), mail)
  expect(message).toMatch(/^[\t\n\x20-\x7e]+$/)
  await handToPostfix(run, { id, to: mail.to, message }, config)
  const got = await delivery
  expect([got.from, got.to]).toEqual(['', 'alice@mail.example'])
  const { headers, text, html } = readMessage(got.message)
  expect(headers).toMatchObject({
    from: 'Ritas Höhle Bcc: all@evil.example <panel@host.example>',
    subject: 'Grüße X-Evil: 1',
    'auto-submitted': 'auto-generated',
    'message-id': `<${id}@host.example>`,
  })
  expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['bcc']))
  expect(headers).not.toHaveProperty('x-evil')
  expect(text.trimEnd()).toBe(mail.text.trimEnd())
  expect(html).toContain('Hello &lt;b&gt;Alice&lt;/b&gt;,')
})

test('asks sendmail for an empty sender, and takes no option from the address', async () => {
  const calls: unknown[] = []
  const record = async (program: string, args: readonly string[], options?: object) => {
    calls.push([program, args, options])
    return ''
  }
  await handToPostfix(record, { id: 'x', to: '-bs@mail.example', message: 'Subject: x\n\nx\n' })
  expect(calls).toEqual([[sendmail, ['-i', '-f', '', '--', '-bs@mail.example'], { input: 'Subject: x\n\nx\n' }]])
})
