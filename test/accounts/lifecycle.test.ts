import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startPanel } from '../harness.ts'

describe('life of an account', () => {
  test('provisions an account at once, and activates it when its job is done', async () => {
    const panel = await startPanel()
    const made = await panel.post('/accounts', {
      username: 'Alice',
      domain: 'Bücher.example',
      password: 'correct horse',
      contact_email: 'a@b.example',
    })
    expect(made.status).toBe(202)
    expect(made.body.account).toMatchObject({
      username: 'alice',
      main_domain: 'xn--bcher-kva.example',
      status: 'provisioning',
      package_name: 'default',
      owner_name: 'root',
      db_prefix: 'alice_',
      uid: 20000,
    })
    await panel.settle()
    expect((await panel.get(`/accounts/${made.body.account.id}`)).body.status).toBe('active')
    expect(panel.events()).toEqual(['account.created', 'job.completed'])
    expect(panel.jobs()).toEqual(['account.create succeeded'])
    expect(existsSync(join(panel.dir, 'host/home/alice/sites/xn--bcher-kva.example/public'))).toBe(true)
  })

  test('goes through suspend, unsuspend, package, password and terminate', async () => {
    const panel = await startPanel()
    const large = (await panel.post('/packages', { name: 'large', disk_quota_mb: 5000, max_email: 50 })).body
    const alice = await panel.account('alice')
    panel.forget()

    const suspended = await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    expect(suspended.status).toBe(202)
    expect(suspended.body.account).toMatchObject({
      status: 'suspended',
      suspend_reason: 'unpaid',
      suspended_by: 'root',
      suspend_locked: false,
    })
    await panel.settle()
    expect(panel.events()).toEqual(['account.suspended', 'job.completed'])
    expect(panel.jobs()).toEqual(['account.suspend succeeded'])
    expect(readTree(join(panel.dir, 'host'), 'alice.example.conf')).toContain('503')

    expect((await panel.post(`/accounts/${alice.id}/unsuspend`)).body.account.status).toBe('active')
    await panel.settle()
    expect(panel.events()).toEqual(['account.unsuspended', 'job.completed'])
    expect(panel.jobs()).toEqual(['account.unsuspend succeeded'])

    const moved = await panel.put(`/accounts/${alice.id}/package`, { package_id: large.id })
    expect(moved.body.account).toMatchObject({ package_name: 'large', disk_quota_mb: 5000, max_email: 50 })
    await panel.settle()
    expect(panel.events()).toEqual(['account.package_changed', 'job.completed'])
    expect(panel.jobs()).toEqual(['account.change_package succeeded'])

    expect((await panel.post(`/accounts/${alice.id}/password`, { new_password: 'another secret' })).status).toBe(204)
    expect(panel.events()).toEqual(['account.password_changed'])
    expect(panel.jobs()).toEqual([])

    const wrong = await panel.delete(`/accounts/${alice.id}?confirm=bob`)
    expect([wrong.status, wrong.code, Object.keys(wrong.body.fields)]).toEqual([400, 'validation', ['confirm']])
    const ended = await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    expect(ended.status).toBe(202)
    expect(ended.body.account.status).toBe('terminating')
    const again = await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    expect(again.body.job_id).toBe(ended.body.job_id)
    await panel.settle()
    expect(panel.events()).toEqual(['account.terminated', 'job.completed'])
    expect(panel.jobs()).toEqual(['account.terminate succeeded'])
    expect((await panel.get(`/accounts/${alice.id}`)).code).toBe('not-found')
    expect((await panel.delete(`/accounts/${alice.id}?confirm=alice`)).code).toBe('not-found')
    expect(existsSync(join(panel.dir, 'host/home/alice'))).toBe(false)
    expect(readdirSync(join(panel.dir, 'host/home/.panel-trash')).some((name) => name.startsWith('alice-'))).toBe(true)
    expect((await panel.get(`/jobs/${ended.body.job_id}`)).body.job.status).toBe('succeeded')
  })
})

function readTree(root: string, name: string): string {
  const found = (readdirSync(root, { recursive: true }) as string[]).find((path) => path.endsWith(name))
  return found ? readFileSync(join(root, found), 'utf8') : ''
}
