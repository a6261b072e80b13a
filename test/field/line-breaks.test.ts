import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { operationList } from '../../src/contract/index.ts'
import type { Declaration } from '../../src/contract/operation.ts'
import { type Json, type Reply, TestPanel } from '../harness.ts'
import { cpmove } from '../imports/archives.ts'
import { certificate } from '../ssl/openssl.ts'
import { addPasskeys, allowed, makeWorld, pathIn, type World } from '../world.ts'

type Schema = z.core.JSONSchema.BaseSchema
type Step = string | number

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as Json

/** The example body of an operation's documentation. */
function exampleOf({ path, method }: Declaration): Json {
  const body = document['paths'][path]?.[method]?.requestBody
  const content = body?.content?.['application/json']
  const name = String(content?.schema?.$ref ?? '').replace('#/components/schemas/', '')
  return structuredClone(content?.example ?? document['components'].schemas[name]?.example ?? {})
}

/** Where a body has text: the steps to each string of its schema, lists by their first item. */
function textsIn(schema: Schema, at: readonly Step[] = []): (readonly Step[])[] {
  if (schema.anyOf) return schema.anyOf.flatMap((branch) => textsIn(branch as Schema, at))
  if (schema.type === 'string') return schema.enum || schema.const !== undefined ? [] : [at]
  if (schema.type === 'array') return textsIn(schema.items as Schema, [...at, 0])
  const fields = Object.entries(schema.properties ?? {}) as [string, Schema][]
  return fields.flatMap(([name, inner]) => textsIn(inner, [...at, name]))
}

const strong = 'correct horse battery staple'
const marker = 'Injected-Line yes'
const breaks = ['\r\n', '\n', '\r']

/** The body with text at these steps, or with a break and a further line in what is there. */
function withLine(body: unknown, [step, ...below]: readonly Step[], by: string): unknown {
  if (step === undefined) return `${typeof body === 'string' ? body : 'text'}${by}${marker}`
  if (typeof step === 'number') return [withLine(Array.isArray(body) ? body[0] : undefined, below, by)]
  const fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Json) : {}
  return { ...fields, [step]: withLine(fields[step], below, by) }
}

let count = 0
/** A name that no earlier request has taken. */
const fresh = (): string => `carol${String.fromCharCode(97 + (count % 26))}${String.fromCharCode(97 + count++ / 26)}`

/** Bodies with which an operation gets as far as the text, where its example is of another world. */
const bodies: Readonly<Record<string, () => readonly Json[]>> = {
  createAccount() {
    const username = fresh()
    return [{ username, domain: `${username}.example`, password: strong, contact_email: 'carol@example.com' }]
  },
  changeAccountPassword: () => [{ new_password: strong }],
  updateDomain: () => [
    {
      access: [{ path: '/private', allow: ['192.0.2.1'], users: [{ name: 'carol', password: strong }] }],
      hotlink: { extensions: ['jpg'], allow: ['shop.example'] },
    },
  ],
  createDnsRecord: () => records,
  changeDnsRecords: () =>
    records.map((record) => ({ create: [record], update: [{ id: world.ids.get(ofRecord), value: '192.0.2.9' }] })),
  setAppEnv: () => [{ set: [{ name: 'LEVEL', value: 'info' }] }],
  archiveFiles: () => [{ paths: ['tmp'], to: 'packed.zip', format: 'zip' }],
  extractArchive: () => [{ path: 'packed.zip', to: 'unpacked' }],
  createImport: () => [{ path: join(panel.dir, 'archives/cpmove-carol.tar.gz') }],
  createAlertChannel: () => newChannels(),
  createAlertChannelForAccount: () => newChannels(),
  updateAlertChannel: () => [channel],
  updateAlertChannelForAccount: () => [channel],
  createCsr: () => [ofDomain()],
  issueCertificate: () => [ofDomain()],
  installCertificate: () => [{ ...ofDomain(), ...issued }],
  restoreBackup: () => [{ paths: ['sites'], to: 'again', safety: false }],
  changeOwnPassword: () => [{ current_password: rootPassword, new_password: `${strong} again` }],
}
let rootPassword = strong
const ofRecord = '/accounts/{id}/dns/zones/{zid}/records/{rid}'
const authority = certificate({ subject: '/CN=Test Authority', ca: true })
const site = certificate({ names: ['alice.example'], issuer: authority })
const issued: Json = {
  certificate: site.certificate,
  private_key: site.key,
  ca_bundle: authority.certificate,
}
const ofDomain = (): Json => ({ domain_id: world.ids.get('/accounts/{id}/domains/{did}') })
const channel: Json = {
  url: 'https://hooks.chat.example/services/T0',
  quiet: { from: '22:00', to: '07:00', timezone: 'UTC' },
}
const newChannels = () => [{ ...channel, name: fresh(), type: 'webhook', shape: 'slack' }]
const records: readonly Json[] = [
  { type: 'A', name: 'carol', value: '192.0.2.1' },
  { type: 'TXT', name: 'carol', value: 'text' },
  { type: 'CAA', name: '@', value: 'ca.example', tag: 'issue', flags: 0 },
]

/** Text that takes line breaks, and what becomes of it. Everything else is refused by its field. */
const taken: Readonly<Record<string, string>> = {
  'createAccount password': 'hashed',
  'changeAccountPassword new_password': 'hashed',
  'changeOwnPassword new_password': 'hashed',
  'setRootPassword new_password': 'hashed',
  'updateDomain nginx_include': "root's directives for nginx, in a file of their own",
  'setAppEnv set[].value': 'given to a program as a variable, without a file',
  'setAppEnv remove[]': 'compared with names',
  'setAutoresponder body': 'the text of a message: lines of a quoted string',
  'setEmailTemplate body': 'the text of a message',
  'previewEmailTemplate body': 'shown',
  'importDatabase path': 'looked up by its job',
  'createBackup note': 'shown',
  'createUpload name': 'shown',
  'createImportUpload name': 'shown',
  'createImport as': 'judged with the archive, whose import it blocks',
  'createImport domain': 'judged with the archive, whose import it blocks',
  'updateImport as': 'judged with the archive, whose import it blocks',
  'updateImport domain': 'judged with the archive, whose import it blocks',
  'installCertificate certificate': 'PEM, of which the blocks alone are written',
  'installCertificate private_key': 'PEM, of which the key alone is written',
  'installCertificate ca_bundle': 'PEM, of which the blocks alone are written',
  'requestPasswordReset username': 'compared with names; the answer is the same for all',
  'signInAnywhere password': 'compared',
  'signInUser password': 'compared',
  'suspendAccount reason': 'shown',
  'suspendReseller reason': 'shown',
}

/** Only a session of a customer gets as far as its text, an address (test/bans). */
const ofSessions = ['liftBanForAccount']
const writing = operationList.filter(
  ({ id, body, raw, method }) => body && raw === undefined && method !== 'get' && !ofSessions.includes(id),
)
/** These end what others need. */
const last = ['suspendAccount', 'suspendReseller', 'setRootPassword']
const cases = writing
  .toSorted((one, other) => last.indexOf(one.id) - last.indexOf(other.id))
  .flatMap((op) => {
    const schema = z.toJSONSchema(op.body!, { io: 'input', unrepresentable: 'any' })
    const places = textsIn(schema).map((steps) => [steps.join('.').replace(/\.0\b/g, '[]'), steps] as const)
    return [...new Map(places)].map(([field, steps]) => ({ op, field, steps }))
  })

let panel: TestPanel
let world: World
let onlooker: Database.Database
beforeAll(async () => {
  panel = await new TestPanel({}).start()
  world = await makeWorld(panel)
  await addPasskeys(panel, world)
  await addContent()
  onlooker = new Database(panel.store.sqlite.name, { readonly: true })
})
afterAll(async () => {
  onlooker.close()
  await panel.stop()
})

/** What operations need to get as far as the text: a backup of files, a password of root, an archive to import. */
async function addContent(): Promise<void> {
  const { body } = await panel.post(`/accounts/${world.alice['id']}/backups`, { parts: ['files'] })
  ;(world.ids as Map<string, string>).set('/accounts/{id}/backups/{bid}', body.backup.id)
  expect((await panel.send('PUT', '/root/password', { body: { new_password: strong } })).status).toBeLessThan(300)
  writeFileSync(join(panel.dir, 'archives/cpmove-carol.tar.gz'), cpmove())
  await panel.settle()
}

const send = (op: Declaration, body: unknown): Promise<Reply> =>
  panel.send(op.method.toUpperCase(), pathIn(world, op)!, allowed(world, op, { body: JSON.stringify(body) }))

/** Every change emits an event, queues a job, or both. */
const changes = (): unknown =>
  onlooker.prepare('SELECT (SELECT max(seq) FROM events) AS events, (SELECT count(*) FROM jobs) AS jobs').get()

/** What daemons and jobs read: all files of the host but those in homes. */
function linesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return linesOf(path)
    if (!entry.isFile()) return []
    return readFileSync(path, 'latin1')
      .split(/[\r\n]/)
      .map((line) => `${path}: ${line}`)
  })
}

const isAbout = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`)

/** How a request with a further line in this text ended: refused for it, taken, or for another reason. */
async function endOf(op: Declaration, steps: readonly Step[], body: unknown): Promise<string> {
  await panel.settle()
  const before = JSON.stringify(changes())
  const { status, code, body: answer } = await send(op, body)
  if (status < 300) {
    if (op.id === 'changeOwnPassword') rootPassword = (body as Json)['new_password']
    return 'taken'
  }
  const parsed = op.body!.safeParse(body)
  const ofSchema = parsed.success || parsed.error.issues.some(({ path }) => isAbout(path.join('.'), steps.join('.')))
  const named = Object.keys((answer as Json).fields ?? {})
  const isNamed = named.some((name) => isAbout(name, String(steps[0])))
  const changesNothing = JSON.stringify(changes()) === before
  if ([400, 422].includes(status) && isNamed && ofSchema && changesNothing) return 'refused'
  if (status === 404 && /^There is nothing at /.test(answer.detail) && changesNothing) return 'refused'
  // Passwords, codes and links are compared; failed attempts are counted.
  if (status === 401 || (status === 404 && answer.detail === 'No such link.' && changesNothing)) return 'refused'
  return `${status} ${code} ${answer.detail}${changesNothing ? '' : ' (something was written)'}`
}

test('text with a line break is refused by its field, or becomes no line of a configuration file', async () => {
  const ends = new Map<string, Set<string>>()
  for (const { op, field, steps } of cases)
    for (const by of breaks)
      for (const body of bodies[op.id]?.() ?? [exampleOf(op)]) {
        const end = await endOf(op, steps, withLine(body, steps, by))
        const name = `${op.id} ${field}`
        if (end !== 'refused') ends.set(name, (ends.get(name) ?? new Set()).add(end))
      }
  await panel.settle()
  expect(Object.fromEntries([...ends].map(([name, all]) => [name, [...all]]))).toEqual(
    Object.fromEntries(Object.keys(taken).map((name) => [name, ['taken']])),
  )
  const injected = linesOf(join(panel.dir, 'host/etc')).filter((line) => line.includes(`: ${marker}`))
  expect(injected).toEqual([expect.stringMatching(/\/nginx\/include\/alice\.example\.conf: /)])
}, 120_000)
