import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import Fastify, { type FastifyRequest } from 'fastify'
import { monotonicFactory } from 'ulid'

/**
 * The same work as one would write it with fastify and bare better-sqlite3: statements prepared once, rows as objects,
 * JSON.stringify. It reads the panel's own store, checks the token in it, and answers the same fields.
 */
const store = new Database(join(process.argv[2]!, 'panel.db'))
store.pragma('journal_mode = WAL')
store.pragma('synchronous = FULL')
store.pragma('cache_size = -65536')

const newId = monotonicFactory()
const app = Fastify()

interface Token {
  id: string
  principal_id: string
  scopes: string
}

const tokenByHash = store.prepare<[string], Token>(
  `SELECT t.*, a.username, a.suspended_at FROM tokens AS t LEFT JOIN accounts AS a ON a.id = t.principal_id
   WHERE t.hash = ?`,
)

function check(request: FastifyRequest): Token {
  const secret = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const token = tokenByHash.get(createHash('sha256').update(secret).digest('hex'))
  if (!token || !JSON.parse(token.scopes).includes('full-access')) throw new Error('unknown token')
  return token
}

const full = `SELECT a.*, p.name AS package_name, p.feature_list_id, i.address AS ip_address,
    coalesce(o.username, 'root') AS owner_name, r.account_id IS NOT NULL AS is_reseller
  FROM accounts AS a JOIN packages AS p ON p.id = a.package_id JOIN ips AS i ON i.id = a.ip_id
  LEFT JOIN accounts AS o ON o.id = a.owner_id LEFT JOIN resellers AS r ON r.account_id = a.id`

interface Row {
  readonly [column: string]: string | number | null
  readonly id: string
  readonly provisioned: 0 | 1
  readonly terminating: 0 | 1
  readonly suspended_at: number | null
  readonly bw_limit_mb: number | null
  readonly bw_used_month_mb: number
}

const internal = new Set(
  `password_hash password_changed_at applied_username provisioned terminating suspended_with measured_at zone_serial
  mail_routing spam_box spam_filter`.split(/\s+/),
)
const truths = ['cgi', 'is_reseller', 'make_reseller', 'suspend_locked']

function resource(row: Row): object {
  const answer: Record<string, unknown> = {}
  for (const name in row) if (row[name] !== null && !internal.has(name)) answer[name] = row[name]
  for (const name of truths) answer[name] = row[name] === 1
  const status = row.suspended_at !== null ? 'suspended' : row.provisioned ? 'active' : 'provisioning'
  const exceeded = row.bw_limit_mb !== null && row.bw_used_month_mb > row.bw_limit_mb
  return { ...answer, status: row.terminating ? 'terminating' : status, bw_exceeded: exceeded }
}

const accountById = store.prepare<[string], Row>(`${full} WHERE a.id = ?`)

app.get('/api/v1/accounts/:id', (request, reply) => {
  check(request)
  const row = accountById.get((request.params as { id: string }).id)
  return row ? resource(row) : reply.code(404).send({})
})

app.get('/api/v1/token', (request) => {
  const { scopes, ...token } = check(request)
  return { ...token, scopes: JSON.parse(scopes) }
})

const page = store.prepare<[number, number], Row>(`${full} ORDER BY a.id LIMIT ? OFFSET ?`)
const total = store.prepare('SELECT count(*) FROM accounts').pluck()
const found = store.prepare<[string, string, number, number], Row>(
  `${full} WHERE a.username LIKE ? ORDER BY a.username = ? DESC, a.id LIMIT ? OFFSET ?`,
)
const totalFound = store.prepare('SELECT count(*) FROM accounts WHERE username LIKE ?').pluck()

app.get('/api/v1/accounts', (request) => {
  check(request)
  const { q, per_page = '50', page: number = '1' } = request.query as Record<string, string>
  const [limit, offset] = [Number(per_page), (Number(number) - 1) * Number(per_page)]
  const rows = q === undefined ? page.all(limit, offset) : found.all(`%${q}%`, q, limit, offset)
  return { items: rows.map(resource), total: q === undefined ? total.get() : totalFound.get(`%${q}%`) }
})

const events = store.prepare<[number, number], { seq: number; core: string }>(
  'SELECT seq, core FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
)

app.get('/api/v1/events', (request) => {
  check(request)
  const { after = '0', limit = '100' } = request.query as Record<string, string>
  const items = events.all(Number(after), Number(limit)).map(({ seq, core }) => ({ seq, ...JSON.parse(`{${core}}`) }))
  return { items, next: items.at(-1)?.seq ?? 0 }
})

const taken = store.prepare<[string, string]>('SELECT 1 FROM accounts WHERE username = ? OR main_domain = ?')
const packageOf = store.prepare<[], Row>("SELECT * FROM packages WHERE name = 'default'")
const mainIp = store.prepare<[], Row>('SELECT * FROM ips WHERE main = 1')
const highestUid = store.prepare('SELECT max(uid) FROM accounts').pluck()
const addAccount = store.prepare(
  `INSERT INTO accounts (id, username, main_domain, contact_email, owner_id, package_id, ip_id, uid, home_dir, db_prefix,
     shell, theme, locale, mail_routing, cgi, spam_box, spam_filter, make_reseller, measured_at, zone_serial, created_at)
   VALUES (@id, @username, @domain, '', @owner, @plan, @ip, @uid, '/home/' || @username, @username || '_',
     '/usr/sbin/nologin', 'default', 'en', 'auto', 1, 1, 1, 0, @now, 2026010100, @now)`,
)
const addEvent = store.prepare(
  `INSERT INTO events (id, type, created_at, account_id, for_account, server, core)
   VALUES (@id, 'account.created', @now, @account, 1, 'bench.example', @core)`,
)
const addJob = store.prepare(
  `INSERT INTO jobs (id, kind, status, max_attempts, payload, lane, account_id, username, domain, owner_id, object_id,
     actor_type, actor_id, via, request_id, run_at, created_at)
   VALUES (@id, 'account.create', 'succeeded', 3, '{}', @account, @account, @username, @domain, @owner, @account,
     'root', @owner, 'api', @id, @now, @now)`,
)
const addAudit = store.prepare(
  `INSERT INTO audit (id, at, operation, actor_type, actor_id, actor_name, via, token_id, request_id, account_id, owner_id,
     object_id, after)
   VALUES (@id, @now, 'createAccount', 'root', @owner, 'root', 'api', @token, @id, @account, @owner, @account, @after)`,
)

interface Create {
  username: string
  domain: string
}

const create = store.transaction(({ username, domain }: Create, token: Token) => {
  if (taken.get(username, domain)) throw new Error('taken')
  const now = Date.now()
  const [id, plan, ip, owner] = [newId(), packageOf.get()!.id, mainIp.get()!.id, token.principal_id]
  const uid = Number(highestUid.get()) + 1
  addAccount.run({ id, username, domain, owner, plan, ip, uid, now })
  const core = JSON.stringify({
    id: newId(),
    type: 'account.created',
    data: { object_id: id, username, domain, owner },
  })
  addEvent.run({ id: newId(), now, account: id, core: core.slice(1, -1) })
  const job = newId()
  addJob.run({ id: job, now, account: id, username, domain, owner })
  addAudit.run({ id: newId(), now, account: id, owner, token: token.id, after: JSON.stringify({ username, domain }) })
  return { account: resource(accountById.get(id)!), job_id: job }
})

const body = {
  type: 'object',
  required: ['username', 'domain'],
  properties: {
    username: { type: 'string', pattern: '^[a-z][a-z0-9]{1,15}$' },
    domain: { type: 'string', pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$' },
  },
}
app.post('/api/v1/accounts', { schema: { body } }, (request, reply) => {
  const token = check(request)
  return reply.code(202).send(create.immediate(request.body as Create, token))
})

await app.listen({ host: '127.0.0.1', port: 0 })
console.log(`listens on http://127.0.0.1:${(app.server.address() as AddressInfo).port}`)
process.once('SIGTERM', () => process.exit())
