import type Database from 'better-sqlite3'
import type { z } from 'zod'
import { Account } from '../../../contract/accounts.ts'
import { notFound } from '../../../contract/problem.ts'
import type { Actor } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { jsonText } from '../../../runtime/operations/json.ts'
import { Preserialized } from '../../../runtime/operations/run.ts'
import { prepared } from '../../../store/prepared.ts'
import type { AccountRow } from '../tables.ts'

// By hand: JSON made in SQL takes 18 µs, a row and its JSON 35 (bench/sql.ts).

type NodeColumn = 'node' | 'mail_node' | 'database_node'

/** Fields of an account that are not columns of its table. */
const elsewhere: Record<Exclude<keyof z.infer<typeof Account>, keyof AccountRow> | NodeColumn, string> = {
  node: `nullif(a.node, 'local')`,
  mail_node: `nullif(a.mail_node, 'local')`,
  database_node: `nullif(a.database_node, 'local')`,
  status: 'a.status',
  package_name: 'p.name',
  feature_list_id: 'p.feature_list_id',
  ip_address: 'i.address',
  ip6_address: 'i6.address',
  owner_name: `coalesce(o.username, 'root')`,
  is_reseller: 'r.account_id IS NOT NULL',
  bw_exceeded: 'a.bw_used_month_mb > a.bw_limit_mb',
}

const sourceOf = (field: string): string => elsewhere[field as keyof typeof elsewhere] ?? `a.${field}`

/** SQL for an account's JSON, as the API shows it. */
export const accountText = jsonText(Account, sourceOf)

/** SQL for the JSON of an account's id and these fields. */
export function someOf(fields: readonly string[]): string {
  const known = fields.filter((field) => Object.hasOwn(Account.shape, field))
  const params = Object.fromEntries(['id', ...known].map((field) => [field, true]))
  return jsonText(Account.pick(params as { id: true }), sourceOf)
}

const joined = {
  p: 'JOIN packages AS p ON p.id = a.package_id',
  i: 'JOIN ips AS i ON i.id = a.ip_id',
  i6: 'LEFT JOIN ips AS i6 ON i6.id = a.ip6_id',
  o: 'LEFT JOIN accounts AS o ON o.id = a.owner_id',
  r: 'LEFT JOIN resellers AS r ON r.account_id = a.id',
}

/** The tables that such an expression needs. */
export function tablesOf(text: string): string {
  const needed = Object.entries(joined).filter(([as]) => text.includes(`${as}.`))
  return ['accounts AS a', ...needed.map(([, join]) => join)].join(' ')
}

const accountTables = tablesOf(accountText)

const queries = prepared((sqlite: Database.Database) => ({
  text: sqlite.prepare<[string], string>(`SELECT ${accountText} FROM ${accountTables} WHERE a.id = ?`).pluck(),
  seen: sqlite
    .prepare<[JsonRequest], string>(
      `SELECT ${accountText} FROM ${accountTables} WHERE a.id = @id
       AND CASE @type WHEN 'reseller' THEN a.owner_id = @actor WHEN 'account' THEN a.id = @actor ELSE 1 END`,
    )
    .pluck(),
}))

interface JsonRequest {
  readonly id: string
  readonly type: Actor['type']
  readonly actor: string
}

/** The account as JSON, or 404 `not-found` if it is unknown or not the actor's. */
export function showAccount(ctx: Context, id: string): Preserialized {
  const text = queries(ctx.store.sqlite).seen.get({ id, type: ctx.actor.type, actor: ctx.actor.id })
  if (text === undefined) throw notFound('account')
  return new Preserialized(text)
}

/** The response to a change with a job: the account as it is now, and the job. */
export const withJob = ({ store }: Context, id: string, job_id: string): Preserialized =>
  new Preserialized(`{"account":${queries(store.sqlite).text.get(id)},"job_id":"${job_id}"}`)
