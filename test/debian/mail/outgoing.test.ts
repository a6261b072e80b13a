import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { composeMessage } from '../../../src/areas/mailer/compose.ts'
import { run } from '../../../src/host/debian/commands.ts'
import { handToPostfix, sendmail } from '../../../src/host/debian/mail/outgoing.ts'
import { startPanel } from '../../harness.ts'
import { readMessage } from '../../outgoing-mail.ts'
import { canRunPostfix, startPostfix } from './postfix.ts'

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

test.runIf(canRunPostfix)(
  'a message leaves by Postfix with an empty sender, and arrives as it was composed',
  async () => {
    const panel = await startPanel()
    const { port, delivery } = await receiver()
    const { config } = startPostfix(port)
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
  },
)

test('asks sendmail for an empty sender, and takes no option from the address', async () => {
  const calls: unknown[] = []
  const record = async (program: string, args: readonly string[], options?: object) => {
    calls.push([program, args, options])
    return ''
  }
  await handToPostfix(record, { id: 'x', to: '-bs@mail.example', message: 'Subject: x\n\nx\n' })
  expect(calls).toEqual([[sendmail, ['-i', '-f', '', '--', '-bs@mail.example'], { input: 'Subject: x\n\nx\n' }]])
})
