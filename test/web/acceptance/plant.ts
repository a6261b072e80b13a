import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { appsIn } from '../../apps/fixtures.ts'
import type { Json, TestPanel } from '../../harness.ts'
import { counted, logs, visit } from '../../logs/lines.ts'
import type { Reached } from './reached.ts'

const image = '"><img src=x onerror=window.ran=1>'

export const hostile = [
  image,
  '</script><script>window.ran=1</script>',
  'javascript:window.ran=1',
  '\u001b[2J\u0007 escape',
  '\u202egpj.exe',
  `=HYPERLINK("${image}")`,
  `a\u0000b${image}`,
  `${image}${'x'.repeat(4_096 - image.length)}`,
]

/** As much of a text as a field accepts. */
const shorter = (text: string): string[] => {
  const visible = text.replace(/\p{Cc}|\p{Cf}/gu, '')
  return [text, ...[1_000, 255, 128, 64, 40].map((length) => visible.slice(0, length))]
}

interface Field {
  readonly method: 'post' | 'put' | 'patch'
  readonly path: string
  body(text: string, at: number): object
}

const keys = [
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM4Em3QGyBMpT0Xr4xXyWw5Tcm2b0hXq9Xo3mB0o9nJd',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM5Em3QGyBMpT0Xr4xXyWw5Tcm2b0hXq9Xo3mB0o9nJd',
]

/** Fields in which tenants and administrators can write anything. */
function fieldsOf(account: string, bob: string, ids: ReadonlyMap<string, string>): Field[] {
  const of = (path: string): string => ids.get(path)!
  const zone = of('/accounts/{id}/dns/zones/{zid}')
  const mailbox = of('/accounts/{id}/email/accounts/{mid}')
  const field = (method: Field['method'], path: string, body: Field['body']): Field => ({ method, path, body })
  return [
    field('post', `${account}/cron/jobs`, (comment, at) => ({
      schedule: '@daily',
      command: `echo ${at} ${comment}`,
      comment,
    })),
    field('post', `${account}/dns/zones/${zone}/records`, (value, at) => ({ name: `h${at}`, type: 'TXT', value })),
    field('post', `${account}/tokens`, (name) => ({ name, scopes: ['read-only'] })),
    field('post', `${account}/webhooks`, (description) => ({ url: 'https://hooks.example/', description })),
    field('post', `${account}/backups`, (note) => ({ parts: ['config'], note })),
    field('post', `${account}/ssh/keys`, (name, at) => ({ name, public_key: keys[at % keys.length] })),
    field('post', `${account}/ssl/csrs`, (organization) => ({
      domain_id: of('/accounts/{id}/domains/{did}'),
      organization,
    })),
    field('put', `${account}/email/accounts/${mailbox}/autoresponder`, (text) => ({ subject: text, body: text })),
    field('patch', `${account}/apps/${of('/accounts/{id}/apps/{aid}')}/env`, (value, at) => ({
      set: [{ name: `V${at}`, value }],
    })),
    field('post', '/packages', (name) => ({ name })),
    field('post', '/feature-lists', (name) => ({ name })),
    field('post', '/acls', (name) => ({ name, acl: [] })),
    field('post', '/tokens', (name) => ({ name, scopes: ['read-only'] })),
    field('post', '/webhooks', (description) => ({ url: 'https://hooks.example/', description })),
    field('post', `${bob}/suspend`, (reason) => ({ reason })),
    field('patch', '/settings', (name) => ({ brand: { name } })),
  ]
}

/** As hostile as the field accepts; each accepts at least one of them. */
async function fill(panel: TestPanel, { method, path, body }: Field): Promise<void> {
  let taken = 0
  const refused: string[] = []
  for (const [at, text] of hostile.entries())
    for (const form of shorter(text)) {
      const { status, body: answer } = await panel[method](path, body(form, at))
      if (status < 300) taken++
      else refused.push(JSON.stringify(answer))
      if (status < 300 || status === 409) break
    }
  await panel.settle()
  expect([path, taken > 0, taken > 0 ? '' : refused[0]]).toEqual([path, true, ''])
}

/** Output of programs, and what visitors send about themselves. */
export function writeLogs(panel: TestPanel): void {
  for (const text of hostile) {
    for (const log of ['alice.example.error.log', 'given.app.log'])
      appendFileSync(logs(panel, `alice/${log}`), `${text}\u0000\n`)
    const seen = { at: panel.clock.now(), agent: text, referrer: `https://a.example/${text}`, request: `GET /${text}` }
    appendFileSync(logs(panel, 'alice/alice.example.access.log'), visit(seen))
  }
}

function writeFiles(panel: TestPanel): void {
  const tmp = join(panel.dir, 'host/home/alice/tmp')
  mkdirSync(tmp, { recursive: true })
  for (const text of hostile)
    writeFileSync(join(tmp, text.slice(0, 200).replaceAll('/', '\u2215').replaceAll('\0', '')), text)
}

/** A build that prints it too. */
async function build(panel: TestPanel, account: string): Promise<void> {
  const { app, deploy } = appsIn(panel, account)
  const { id } = await app('loud', 'static', { build: 'cat shout' })
  await deploy(id, { 'index.html': '', shout: `${hostile.join('\n')}\n` })
  await panel.settle()
}

/** Writes it wherever tenants, strangers and other servers can. */
export async function plant({ panel }: Reached, { alice, bob, ids }: World): Promise<void> {
  for (const field of fieldsOf(`/accounts/${alice.id}`, `/accounts/${bob.id}`, ids)) await fill(panel, field)
  writeFiles(panel)
  writeLogs(panel)
  await build(panel, alice.id)
  const received = panel.store.sqlite.prepare(
    'INSERT OR REPLACE INTO delivery_attempts (delivery_id, number, at, duration_ms, http_status, response_start) SELECT id, 1, 1, 1, 500, ? FROM deliveries',
  )
  await panel.store.change(() => void received.run(hostile.join('\n').slice(0, 1_024)))
  await panel.settle()
  await counted(panel)
}

interface World {
  readonly alice: Json
  readonly bob: Json
  readonly ids: ReadonlyMap<string, string>
}
