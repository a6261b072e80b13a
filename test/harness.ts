import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { servedDomains } from '../src/areas/domains/store.ts'
import { followVerification } from '../src/areas/email/domains/routing.ts'
import type { Dispatcher } from '../src/areas/webhooks/dispatch.ts'
import { operationList } from '../src/contract/index.ts'
import { problemsOf } from '../src/contract/openapi/problems.ts'
import type { Declaration } from '../src/contract/operation.ts'
import type { ProblemCode } from '../src/contract/problem.ts'
import type { AgentClient } from '../src/host/agent/client/client.ts'
import type { HostDriver } from '../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../src/host/driver/file-driver.ts'
import type { Guards } from '../src/outgoing/connect.ts'
import type { Lookups } from '../src/outgoing/lookups.ts'
import { fingerprintsOf } from '../src/runtime/operations/fingerprint.ts'
import type { CallLimits } from '../src/runtime/operations/limits.ts'
import type { Answer } from '../src/runtime/operations/run.ts'
import type { Log } from '../src/runtime/runtime.ts'
import { KeyPool, type RsaKey, type RsaKeys } from '../src/runtime/security/rsa-keys.ts'
import { Leadership } from '../src/runtime/settings/leadership.ts'
import { serverNames } from '../src/runtime/settings/server-names.ts'
import { compose, type Panel } from '../src/server/compose.ts'
import { StoredNodeCertificates } from '../src/server/node-certificates.ts'
import { OwnCertificate } from '../src/server/own-certificate.ts'
import { keysIn } from '../src/shared/keys.ts'
import { ulid } from '../src/shared/patterns.ts'
import type { StoreFailPoint } from '../src/store/fail-points.ts'
import type { Store } from '../src/store/open.ts'
import { agentWithOptions } from './agent.ts'
import { FakeClock, turns } from './clock.ts'
import { openStore } from './stored.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON; the schema check is in observe
export type Json = any

/** A response as a client sees it. */
export interface Reply {
  readonly status: number
  readonly body: Json
  readonly headers: Headers
  /** The last segment of a problem's type. */
  readonly code: string | undefined
}

export interface Send {
  readonly body?: unknown
  readonly token?: string
  readonly headers?: Record<string, string>
  /** Over TLS from this address, instead of over the local socket. */
  readonly from?: string
  /** Over nginx's socket. */
  readonly front?: boolean
}

export interface PanelOptions {
  readonly driver?: (root: string) => HostDriver
  readonly hostname?: string
  readonly trusts?: (address: string) => boolean
  readonly outgoing?: Partial<Guards>
  readonly limits?: CallLimits
  readonly onStoreFailPoint?: StoreFailPoint
  /** Provides keys to sign mail with, for each new domain at once. */
  readonly signs?: boolean
  /** Instead of keys that are generated once for all tests. */
  readonly rsaKeys?: RsaKeys
  /** What is left out has no answer. */
  readonly lookups?: Partial<Lookups>
  readonly trustTenants?: boolean
  /** Its agent is a service, as on a machine after setup. */
  readonly debian?: boolean
  /** Of its server certificate. */
  readonly pin?: () => string | undefined
  /** Instead of a directory of its own. */
  readonly dir?: string
}

/** Every number is an integer: some clients fail on `7.0`, which JSON.parse does not distinguish. */
function expectIntegers(text: string): void {
  const strings = /"(?:[^"\\]|\\.)*"/g
  expect(text.replace(strings, '""')).not.toMatch(/\d[.eE]/)
}

/** No test resolves a name outside. */
const noNames = (name: string): Promise<string[]> => Promise.reject(new Error(`no address of ${name}`))

const noRecords: Lookups = {
  txt: noNames,
  ns: noNames,
  mx: () => Promise.reject(new Error('no mail servers')),
  addresses: noNames,
  reverse: noNames,
}

let key: Promise<RsaKey> | undefined
/** Generating keys is slow: one serves all tests. */
const madeOnce = (): Promise<RsaKey> => (key ??= new KeyPool().make(undefined))
const oneKey = (signs: () => boolean): RsaKeys => ({
  take: async () => (signs() ? madeOnce() : undefined),
  make: madeOnce,
  fill: async () => {},
})

/** What git, npm, restic, mariadb, tar and openssl print. A job's error says what was tried and what to do instead. */
const programLine =
  /^(?:(?:fatal|error|remote|warning|hint|Fatal|(?:bsd)?tar|gzip|xz|zstd|unzip|restic|subprocess ssh|mariadb(?:-dump)?|mysql(?:dump)?|openssl): |npm (?:ERR!|error) |ERROR \d+ |unable to |Can't open |[\dA-F]+:error:)/

/** A whole panel in this process: the real store and host files in a separate directory, and a fake clock. */
export class TestPanel {
  readonly dir: string
  readonly clock = new FakeClock()
  readonly logged: string[] = []
  /** Where nodes connect: any free port. */
  nodePort = 0
  nodeHost = '127.0.0.1'
  store!: Store
  panel!: Panel
  #options: PanelOptions
  #seen = 0
  #seenJobs = new Set<string>()

  constructor(options: PanelOptions) {
    this.#options = options
    this.dir = options.dir ?? mkdtempSync(join(tmpdir(), 'panel-test-'))
  }

  async start(): Promise<this> {
    const { onStoreFailPoint: onFailPoint } = this.#options
    this.store = openStore(join(this.dir, 'panel.db'), onFailPoint ? { onFailPoint } : {})
    const own = keysIn(this.dir)
    const keys = own.length > 0 ? own : [Buffer.alloc(32, 7)]
    const leadership = new Leadership({ store: this.store, fingerprint: fingerprintsOf(keys[0]!), log: this.#log() })
    this.panel = await compose({
      store: this.store,
      leadership,
      host: this.#host(leadership),
      certificate: this.#certificate(),
      nodeCertificates: new StoredNodeCertificates(join(this.dir, 'tls/nodes'), () => this.clock.now()),
      clock: this.clock,
      log: this.#log(),
      hostname: this.#options.hostname ?? 'host.example',
      origin: () => 'https://host.example:7711',
      ...(this.#options.pin ? { pin: this.#options.pin } : {}),
      keys,
      trustTenants: this.#options.trustTenants ?? false,
      nodePort: { host: this.nodeHost, port: this.nodePort },
      ...(this.#options.limits ? { limits: this.#options.limits } : {}),
      ...(this.#options.trusts ? { trusts: this.#options.trusts } : {}),
      outgoing: { resolve: noNames, ...this.#options.outgoing },
      rsaKeys: this.#options.rsaKeys ?? oneKey(() => this.#options.signs ?? false),
      lookups: { ...noRecords, ...this.#options.lookups },
      observe: checkAnswer,
    })
    return this
  }

  #certificate(): OwnCertificate {
    const hostname = this.#options.hostname ?? 'host.example'
    const names = () => serverNames(this.store.db, hostname)
    return new OwnCertificate(join(this.dir, 'tls'), names, () => this.clock.now())
  }

  #host(leadership: Leadership): AgentClient {
    const root = join(this.dir, 'host')
    const driver =
      this.#options.driver?.(root) ?? createDirectoryDriver({ root, trustTenants: this.#options.trustTenants ?? false })
    const { debian: service = false } = this.#options
    return agentWithOptions({ driver, root, log: this.#log(), service, leadership, clock: this.clock })
  }

  /** Stops, and restarts on the same directory at the same time. */
  async restart(): Promise<void> {
    await this.#end()
    await this.start()
  }

  async stop(): Promise<void> {
    await this.#end().finally(() => this.#remove())
  }

  #remove(): void {
    if (this.#options.dir === undefined) rmSync(this.dir, { recursive: true, force: true })
  }

  async #end(): Promise<void> {
    await this.panel.stop()
    // A test may have closed it, to look at its files.
    if (!this.store.sqlite.open) return
    const errors = this.store.sqlite.prepare('SELECT error FROM jobs WHERE error IS NOT NULL').pluck().all() as string[]
    this.store.close()
    expect(errors.filter((error) => programLine.test(error))).toEqual([])
  }

  /** Sends a request: over the local socket as root, unless a token or an address is given. */
  async send(
    method: string,
    path: string,
    { body, token, headers = {}, from, front = false }: Send = {},
  ): Promise<Reply> {
    const local = from === undefined && token === undefined && !front
    const init: RequestInit = {
      method,
      headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...headers },
    }
    if (body !== undefined) {
      init.body = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
      init.headers = { 'Content-Type': 'application/json', ...(init.headers as Record<string, string>) }
    }
    const url = path.startsWith('http')
      ? path
      : `https://host.example:7711${path.startsWith('/api/') ? '' : '/api/v1'}${path}`
    const response = await this.panel.app.fetch(new Request(url, { redirect: 'manual', ...init }), {
      local,
      front,
      address: from ?? '192.0.2.1',
    })
    const text = await response.text()
    const json = /json/.test(response.headers.get('content-type') ?? '')
    if (json) expectIntegers(text)
    const reply = json && text !== '' ? JSON.parse(text) : text
    const code =
      json && typeof reply?.type === 'string' && response.status >= 400 ? reply.type.split('/').at(-1) : undefined
    this.#checkProblem(method, new URL(url).pathname, code, reply)
    return { status: response.status, body: reply, headers: response.headers, code }
  }

  get = (path: string, options?: Send): Promise<Reply> => this.send('GET', path, options)
  post = (path: string, body?: unknown, options?: Send): Promise<Reply> => this.send('POST', path, { ...options, body })
  put = (path: string, body?: unknown, options?: Send): Promise<Reply> => this.send('PUT', path, { ...options, body })
  patch = (path: string, body?: unknown, options?: Send): Promise<Reply> =>
    this.send('PATCH', path, { ...options, body })
  delete = (path: string, options?: Send): Promise<Reply> => this.send('DELETE', path, options)

  get dispatcher(): Dispatcher {
    return this.panel.engines.get('webhooks') as Dispatcher
  }

  /** Runs every due job to its end. */
  async settle(): Promise<void> {
    await turns()
    await this.panel.worker.idle()
    await turns()
  }

  /** Has every domain of an account count as verified, as root can, without events and jobs. */
  async verify(account: string): Promise<void> {
    await this.store.change(() =>
      this.store.sqlite
        .prepare(
          `UPDATE domain_verifications SET verified_by = 'root', verified_at = ?, next_check_at = NULL, notice_at = NULL
           WHERE account_id = ?`,
        )
        .run(this.clock.now(), account),
    )
    await this.store.change(() => {
      const { db } = this.store
      const changes = { ...this.panel.runtime, db, runtime: this.panel.runtime }
      for (const domain of servedDomains(db, account)) followVerification(changes, domain)
    })
  }

  /** An active account whose main domain is verified, and whose events and jobs are forgotten. */
  async account(username: string, { unverified, ...fields }: Record<string, unknown> = {}): Promise<Json> {
    const made = await this.post('/accounts', { username, domain: `${username}.example`, ...fields })
    expect(made.status, JSON.stringify(made.body)).toBe(202)
    if (unverified !== true) await this.verify(made.body.account.id)
    await this.settle()
    this.forget()
    return (await this.get(`/accounts/${made.body.account.id}`)).body
  }

  /** A token's secret; of the server, or of an account. */
  async token(
    scopes: string[],
    options: { account?: string; allowed_ips?: string[]; [key: string]: unknown } = {},
  ): Promise<string> {
    const { account, ...fields } = options
    const made = await this.post(account ? `/accounts/${account}/tokens` : '/tokens', {
      name: 'test',
      scopes,
      ...fields,
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    return made.body.secret
  }

  /** Event types since the last call, in order. */
  events(): string[] {
    const rows = this.store.sqlite
      .prepare('SELECT seq, type FROM events WHERE seq > ? ORDER BY seq')
      .all(this.#seen) as { seq: number; type: string }[]
    this.#seen = rows.at(-1)?.seq ?? this.#seen
    return rows.map(({ type }) => type)
  }

  /** Jobs queued since the last call: kind and status. */
  jobs(): string[] {
    const rows = this.store.sqlite.prepare('SELECT id, kind, status FROM jobs ORDER BY id').all() as {
      id: string
      kind: string
      status: string
    }[]
    const fresh = rows.filter(({ id }) => !this.#seenJobs.has(id))
    for (const { id } of fresh) this.#seenJobs.add(id)
    return fresh.map(({ kind, status }) => `${kind} ${status}`)
  }

  forget(): void {
    this.events()
    this.jobs()
  }

  /** Every refusal in any test is declared by its operation, and none is an internal error. */
  #checkProblem(method: string, path: string, code: string | undefined, reply: Json): void {
    if (code === 'internal')
      throw new Error(`${method} ${path}: ${this.logged.findLast((line) => /^error/.test(line))}`)
    const op = routes.find((route) => route.method === method.toLowerCase() && route.pattern.test(path))?.op
    if (op && code && !problemsOf(op).includes(code as ProblemCode))
      throw new Error(`${op.id} does not declare the problem ${code}: ${JSON.stringify(reply)}`)
  }

  #log(): Log {
    const write = (level: string) => (fields: object, message: string) => {
      const err = (fields as { err?: Error }).err
      this.logged.push(`${level} ${message} ${JSON.stringify(fields)} ${err?.stack ?? ''}`)
    }
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  }
}

const routes = operationList.map((op) => ({
  op,
  method: op.method,
  pattern: new RegExp(`^/api/v1${op.path.replace(/\{\w+\}/g, ulid)}$`),
}))

/** Every response in any test matches its schema, or the test fails. */
function checkAnswer(op: Declaration, answer: Answer): void {
  if (answer.stream) return expect([op.raw, op.answer], op.id).toEqual(['answer', undefined])
  expect(answer.status, op.id).toBe(
    answer.headers['Idempotency-Replayed'] || answer.status === op.statusIfExisting ? answer.status : op.status,
  )
  if (!op.answer) return expect(answer.json, op.id).toBeUndefined()
  const parsed = op.answer.safeParse(JSON.parse(answer.json!.toString()))
  if (!parsed.success) throw new Error(`${op.id} answers beyond its schema: ${parsed.error.message}\n${answer.json}`)
}

/** A panel that is stopped after the test. */
export async function startPanel(options: PanelOptions = {}): Promise<TestPanel> {
  const panel = await new TestPanel(options).start()
  onTestFinished(() => panel.stop())
  return panel
}
