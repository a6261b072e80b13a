import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Json, TestPanel } from '../harness.ts'
import { accepted, withZone } from './fixtures.ts'

const tools = ['/usr/sbin/named', '/usr/bin/dig', '/usr/bin/delv']

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = createSocket('udp4').once('error', reject)
    socket.bind(0, '127.0.0.1', () => {
      const { port } = socket.address()
      socket.close(() => resolve(port))
    })
  })

/** The rendered list and policy, below the root of the test. */
function confOf(panel: TestPanel, dir: string, port: number): string {
  const root = join(panel.dir, 'host')
  const moved = (path: string) =>
    readFileSync(join(root, 'etc/bind/panel', path), 'utf8').replace(/"(\/(?:etc|var)\/)/g, `"${root}$1`)
  const conf = join(dir, 'named.conf')
  const options = [
    `directory "${dir}"; pid-file "${dir}/pid"; session-keyfile "${dir}/session";`,
    `listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no;`,
  ]
  const text = `options { ${options.join(' ')} };\ncontrols { };\n`
  writeFileSync(conf, `${text}${moved('dnssec-policy.conf')}${moved('zones.d/alice')}`)
  return conf
}

const ask = (command: string, ...args: string[]): string =>
  spawnSync(command, args, { encoding: 'utf8', timeout: 20_000 }).stdout.trim()

async function until<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const found = look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('named did not answer')
}

async function serve(panel: TestPanel) {
  const dir = mkdtempSync(join(tmpdir(), 'panel-named-'))
  const port = await freePort()
  const child: ChildProcess = spawn('/usr/sbin/named', ['-f', '-c', confOf(panel, dir, port)], { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    if (child.kill('SIGTERM')) await ended
    rmSync(dir, { recursive: true, force: true })
  })
  const at = ['@127.0.0.1', '-p', String(port)]
  const dig = (...question: string[]) => ask('/usr/bin/dig', ...at, '+short', '+tries=1', '+time=1', ...question)
  await until(() => (/^host\.example\./.test(dig('alice.example', 'SOA')) ? true : undefined))
  return { dir, at, dig }
}

describe.skipIf(!tools.every((tool) => existsSync(tool)))('BIND on loopback', () => {
  test("answers with the panel's records", { timeout: 60_000 }, async () => {
    const { panel, add, show } = await withZone()
    accepted(await add('t', 'TXT', 'ü "q" \\ ;'))
    accepted(await add('*.w', 'AAAA', '2001:db8::1'))
    accepted(await add('@', 'CAA', 'letsencrypt.org', { tag: 'issue' }))
    await panel.settle()
    const { dig } = await serve(panel)
    expect(dig('alice.example', 'SOA')).toBe(
      `host.example. hostmaster.alice.example. ${(await show()).serial} 3600 900 1209600 300`,
    )
    expect(dig('alice.example', 'MX')).toBe('0 mail.alice.example.')
    expect(dig('t.alice.example', 'TXT')).toBe('"\\195\\188 \\"q\\" \\\\ ;"')
    expect(dig('any.w.alice.example', 'AAAA')).toBe('2001:db8::1')
    expect(dig('alice.example', 'CAA')).toBe('0 issue "letsencrypt.org"')
  })

  test('signs with the key whose DS the panel returned', { timeout: 60_000 }, async () => {
    const { panel, add, zone, show } = await withZone()
    accepted(await add('t', 'TXT', 'x'))
    const dnssec: Json = accepted(await panel.post(`${zone}/dnssec`)).dnssec
    await panel.settle()
    const { dir, at, dig } = await serve(panel)
    const [{ key_tag, algorithm, digest_type, digest }] = dnssec.ds
    const anchor = join(dir, 'anchor')
    writeFileSync(
      anchor,
      `trust-anchors { "alice.example" static-ds ${key_tag} ${algorithm} ${digest_type} "${digest}"; };\n`,
    )
    const delv = () => ask('/usr/bin/delv', ...at, '-a', anchor, '+root=alice.example', 't.alice.example', 'TXT')
    await until(() => (delv().startsWith('; fully validated') ? true : undefined))
    const keys = dig('alice.example', 'DNSKEY').split('\n')
    expect(keys.map((key) => key.replace(/ (\S+) (\S+)$/, ' $1$2'))).toEqual([dnssec.dnskey])
    expect(Number(dig('alice.example', 'SOA').split(' ')[2])).toBeGreaterThanOrEqual((await show()).serial)
  })
})
