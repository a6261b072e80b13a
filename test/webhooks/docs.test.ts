import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { panelSignature, standardSignature } from '../../src/shared/signature.ts'
import { ServerProcess } from './process.ts'
import { type Received, Receiver, status } from './receiver.ts'

const text = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
const under = (title: string, language: string): string =>
  new RegExp(`## ${title}\n[^]*?\`\`\`${language}\n([^]*?)\`\`\``).exec(text)![1]!

function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'panel-docs-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A delivery by a running server, and its signing secret. */
let delivery: Received
let secret: string
beforeAll(async () => {
  const dir = mkdtempSync(join(tmpdir(), 'panel-docs-'))
  const receiver = await new Receiver(status(204)).listen()
  const server = await ServerProcess.start(dir)
  const made = JSON.parse((await server.send('POST', '/webhooks', { url: receiver.url })).body)
  secret = made.secret
  await server.send('POST', `/webhooks/${made.webhook.id}/test`)
  await receiver.got(1)
  delivery = receiver.received[0]!
  await server.stop()
  await receiver.close()
  rmSync(dir, { recursive: true, force: true })
}, 60_000)

interface Sent {
  timestamp: string
  signature: string
  body: string
}
const sent = (): Sent => ({
  timestamp: delivery.headers['x-panel-timestamp']!,
  signature: delivery.headers['x-panel-signature']!,
  body: delivery.body,
})
/** What a receiver must refuse. */
const forgeries = (): [string, Sent][] => {
  const real = sent()
  const old = String(Number(real.timestamp) - 301)
  return [
    ['another body', { ...real, body: `${real.body} ` }],
    ['another signature', { ...real, signature: real.signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }],
    ['no signature', { ...real, signature: '' }],
    ['another timestamp', { ...real, timestamp: String(Number(real.timestamp) + 1) }],
    ['an old timestamp', { ...real, timestamp: old, signature: panelSignature(secret, Number(old), real.body) }],
    ['no timestamp', { ...real, timestamp: '' }],
    ['a timestamp that only looks like digits', { ...real, timestamp: '²' }],
    ['a timestamp without end', { ...real, timestamp: '9'.repeat(5000) }],
    ['a signature beyond ASCII', { ...real, signature: 'sha256=é' }],
  ]
}

const has = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

test('the standardwebhooks package verifies a real delivery', () => {
  expect(new Webhook(secret).verify(delivery.body, delivery.headers)).toEqual(JSON.parse(delivery.body))
  expect(() => new Webhook(secret).verify(`${delivery.body} `, delivery.headers)).toThrow()
})

/** Disconnects during a request; resolves when the other end has noticed. */
async function breakOff(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf').resume()
  await once(socket, 'close')
}

test('the Node sample accepts a real delivery, once, and rejects forgeries', async () => {
  const dir = scratch()
  writeFileSync(join(dir, 'receiver.mjs'), under('Verify in Node', 'js'))
  const env = { ...process.env, PANEL_WEBHOOK_SECRET: secret, PORT: '0' }
  const child = spawn(process.execPath, [join(dir, 'receiver.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  while (!/listening \d+\n/.test(output)) await once(child.stdout, 'data')
  const port = /listening (\d+)/.exec(output)![1]
  const post = async ({ timestamp, signature, body }: Sent): Promise<number> => {
    const headers = { 'x-panel-timestamp': timestamp, 'x-panel-signature': signature }
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status
  }
  await breakOff(Number(port))
  expect(await post(sent())).toBe(204)
  expect(await post(sent())).toBe(204)
  for (const [what, forged] of forgeries()) expect([what, await post(forged)]).toEqual([what, 401])
  const { type, id } = JSON.parse(delivery.body)
  expect(output.split('\n').filter((line) => line === `${type} ${id}`)).toHaveLength(1)
})

test('the shell sample accepts a real delivery and rejects forgeries', () => {
  const dir = scratch()
  const file = join(dir, 'verify.sh')
  writeFileSync(file, under('Verify in a shell', 'sh'), { mode: 0o755 })
  const verify = ({ timestamp, signature, body }: Sent): number | null => {
    writeFileSync(join(dir, 'body'), body)
    const env = {
      ...process.env,
      PANEL_WEBHOOK_SECRET: secret,
      X_PANEL_TIMESTAMP: timestamp,
      X_PANEL_SIGNATURE: signature,
    }
    return spawnSync('sh', [file, join(dir, 'body')], { env }).status
  }
  expect(verify(sent())).toBe(0)
  for (const [what, forged] of forgeries()) expect([what, verify(forged)]).toEqual([what, 1])
})

test.runIf(has('python3', '--version'))('the Python sample takes a real delivery and refuses forgeries', () => {
  const check = `${under('Verify in Python', 'python')}
import json, sys
for one in json.load(sys.stdin):
    print(is_genuine(one["secret"], one["timestamp"], one["signature"], one["body"].encode()))
`
  const all = [sent(), ...forgeries().map(([, forged]) => forged)].map((one) => ({ ...one, secret }))
  const output = execFileSync('python3', ['-c', check], { input: JSON.stringify(all), encoding: 'utf8' })
  expect(output.trim().split('\n')).toEqual(['True', ...forgeries().map(() => 'False')])
})

test.runIf(has('php', '--version'))('the PHP sample takes a real delivery and refuses forgeries', () => {
  const dir = scratch()
  const sample = under('Verify in PHP', 'php').replace("'php://input'", "getenv('BODY_FILE')")
  writeFileSync(join(dir, 'hook.php'), `${sample}\necho http_response_code();`)
  const verify = ({ timestamp, signature, body }: Sent): string => {
    writeFileSync(join(dir, 'body'), body)
    const env = {
      ...process.env,
      PANEL_WEBHOOK_SECRET: secret,
      BODY_FILE: join(dir, 'body'),
      HTTP_X_PANEL_TIMESTAMP: timestamp,
      HTTP_X_PANEL_SIGNATURE: signature,
    }
    return execFileSync('php', ['-d', 'variables_order=EGPCS', join(dir, 'hook.php')], { env, encoding: 'utf8' })
  }
  expect(verify(sent())).toBe('204')
  for (const [what, forged] of forgeries()) expect([what, verify(forged)]).toEqual([what, ''])
})

describe('test vectors', () => {
  const [, vector, timestamp, id] = /Secret `(\S+)`, timestamp `(\d+)`, event id `(\w+)`/.exec(text)!
  const rows = [...text.matchAll(/^\| `(\{.*\})` \| `(sha256=\w+)` \| `(v1,\S+)` \|$/gm)]

  test('lists two test vectors', () => expect(rows).toHaveLength(2))
  test.each(rows.map(([, body, panel, standard]) => [body!, panel!, standard!]))(
    'signs %s as listed',
    (body, panel, standard) => {
      expect(panelSignature(vector!, Number(timestamp), body)).toBe(panel)
      expect(standardSignature(vector!, id!, Number(timestamp), body)).toBe(standard)
      expect(new Webhook(vector!).sign(id!, new Date(Number(timestamp) * 1000), body)).toBe(standard)
    },
  )
})
