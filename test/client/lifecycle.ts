import { equal, ok } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

type Schemas = components['schemas']

/** The result of an operation; throws its problem if it was refused. */
function answered<T>(result: { data?: T; error?: Schemas['Problem']; response: Response }): T {
  if (result.error) throw new Error(`${result.response.url}: ${JSON.stringify(result.error)}`)
  return result.data as T
}

/** The code and the fields of an operation's problem. */
function refused(result: { error?: Schemas['Problem'] }) {
  ok(result.error, 'was not refused')
  return { code: result.error.type.split('/').at(-1), fields: Object.keys(result.error.fields ?? {}) }
}

/** The lifecycle of an account as a billing system drives it. */
export async function lifecycle(baseUrl: string, token: string, large: string, step: (name: string) => void) {
  const panel = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } })

  async function finished(job: string): Promise<void> {
    for (const until = Date.now() + 30_000; Date.now() < until; await sleep(50)) {
      const { job: found, log } = answered(await panel.GET('/jobs/{id}', { params: { path: { id: job } } }))
      if (['queued', 'leased', 'running'].includes(found.status)) continue
      return equal(found.status, 'succeeded', `${found.kind}: ${found.error ?? JSON.stringify(log)}`)
    }
    throw new Error(`job ${job} did not end`)
  }

  const order = { username: 'alice', domain: 'alice.example', contact_email: 'alice@example.com' }
  const create = () => panel.POST('/accounts', { body: order, params: { header: { 'Idempotency-Key': 'order-1' } } })
  const first = await create()
  equal(first.response.status, 202)
  const { account, job_id } = answered(first)
  const again = await create()
  equal(again.response.headers.get('idempotency-replayed'), 'true')
  equal(answered(again).account.id, account.id)
  await finished(job_id)
  step('create an account, sent twice with one idempotency key')

  const path = { id: account.id }
  const { code, fields } = refused(await panel.POST('/accounts', { body: order }))
  equal(code, 'validation')
  ok(fields.includes('username'))
  step('refuse a username that is taken')

  const list = answered(await panel.GET('/accounts', { params: { query: { q: 'alice', per_page: 1 } } }))
  equal(list.total, 1)
  equal(list.items[0]?.status, 'active')
  step('list accounts')

  const usage = answered(await panel.GET('/accounts/{id}/usage', { params: { path } }))
  equal(typeof usage.disk_mb.used, 'number')
  step('usage')

  const suspended = answered(
    await panel.POST('/accounts/{id}/suspend', { params: { path }, body: { reason: 'unpaid' } }),
  )
  equal(suspended.account.status, 'suspended')
  equal(suspended.account.suspend_reason, 'unpaid')
  await finished(suspended.job_id)
  step('suspend')

  const unsuspended = answered(await panel.POST('/accounts/{id}/unsuspend', { params: { path } }))
  equal(unsuspended.account.status, 'active')
  await finished(unsuspended.job_id)
  step('unsuspend')

  const moved = answered(await panel.PUT('/accounts/{id}/package', { params: { path }, body: { package_id: large } }))
  equal(moved.account.package_id, large)
  await finished(moved.job_id)
  step('set the package')

  const password = await panel.POST('/accounts/{id}/password', {
    params: { path },
    body: { new_password: 'correct horse battery staple' },
  })
  answered(password)
  equal(password.response.status, 204)
  step('set the password')

  equal(
    refused(await panel.DELETE('/accounts/{id}', { params: { path, query: { confirm: 'bob' } } })).code,
    'validation',
  )
  const ended = answered(await panel.DELETE('/accounts/{id}', { params: { path, query: { confirm: 'alice' } } }))
  await finished(ended.job_id)
  equal(refused(await panel.GET('/accounts/{id}', { params: { path } })).code, 'not-found')
  step('terminate, and then it is gone')
}
