import { describe, expect, test } from 'vitest'
import { exhaust, nothing, occurred, problem } from '../domains/fixtures.ts'
import { FailingDriver } from '../drivers.ts'
import { keyOf, withAlice } from './fixtures.ts'

const applied = { events: ['job.completed'], jobs: ['ssh.apply succeeded'] }

describe('SSH access', () => {
  test("keeps access off at first, and shows the server's address", async () => {
    const { panel, path } = await withAlice()
    expect((await panel.get(path)).body).toEqual({
      enabled: false,
      shell: '/bin/bash',
      host: 'host.example',
      port: 22,
      host_keys: [],
    })
  })

  test('puts the keys on the host only while access is on', async () => {
    const { panel, path, add, enable, onHost } = await withAlice()
    await add(keyOf(1))
    expect(await occurred(panel)).toEqual(applied)
    expect(onHost()).toBeUndefined()
    const on = await enable()
    expect([on.status, on.body.ssh.enabled]).toEqual([202, true])
    expect(await occurred(panel)).toEqual(applied)
    expect(onHost()).toEqual([keyOf(1)])
    expect((await enable(false)).body.ssh.enabled).toBe(false)
    expect(await occurred(panel)).toEqual(applied)
    expect(onHost()).toBeUndefined()
    expect((await panel.get(path)).body.enabled).toBe(false)
  })

  test('needs a login shell', async () => {
    const { panel, path, enable, alice } = await withAlice({})
    expect(problem(await enable())).toEqual([409, 'not-configured'])
    expect(await occurred(panel)).toEqual(nothing)
    expect((await enable(false)).status).toBe(202)
    await occurred(panel)
    await panel.patch(`/accounts/${alice.id}`, { shell: '/bin/sh' })
    expect((await enable()).status).toBe(202)
    expect((await panel.get(path)).body).toMatchObject({ enabled: true, shell: '/bin/sh' })
  })

  test('ends access with the shell', async () => {
    const { panel, path, add, enable, onHost, alice } = await withAlice()
    await add(keyOf(1))
    await enable()
    await panel.settle()
    await panel.patch(`/accounts/${alice.id}`, { shell: '/usr/sbin/nologin' })
    await panel.settle()
    expect((await panel.get(path)).body).toMatchObject({ enabled: false, shell: '/usr/sbin/nologin' })
    expect(onHost()).toBeUndefined()
  })

  test('pauses access while the account is suspended, follows its name, and ends with it', async () => {
    const { panel, add, enable, onHost, alice } = await withAlice()
    await add(keyOf(1))
    await enable()
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    await panel.settle()
    expect(onHost()).toBeUndefined()
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await panel.settle()
    expect(onHost()).toEqual([keyOf(1)])
    await panel.patch(`/accounts/${alice.id}`, { username: 'alicia' })
    await panel.settle()
    expect([onHost(), onHost('alicia')]).toEqual([undefined, [keyOf(1)]])
    await panel.delete(`/accounts/${alice.id}?confirm=alicia`)
    await panel.settle()
    expect(onHost('alicia')).toBeUndefined()
    expect(panel.store.sqlite.prepare('SELECT count(*) FROM ssh_keys').pluck().get()).toBe(0)
  })

  test('refuses access if the feature is off, but still deletes a key', async () => {
    const { panel, path, add, enable, alice } = await withAlice()
    const { id } = (await add(keyOf(1))).body.key
    const list = (await panel.post('/feature-lists', { name: 'none', features: { ssh: false } })).body
    await panel.patch(`/packages/${alice.package_id}`, { feature_list_id: list.id })
    await panel.settle()
    panel.forget()
    expect(problem(await enable())).toEqual([403, 'feature-disabled'])
    expect(problem(await add(keyOf(2)))).toEqual([403, 'feature-disabled'])
    expect(await occurred(panel)).toEqual(nothing)
    expect((await panel.delete(`${path}/keys/${id}`)).status).toBe(202)
  })
})

test('a key that never reaches the host is removed; one that is on it stays', async () => {
  let failing: FailingDriver | undefined
  const driver = (root: string) => {
    failing = new FailingDriver(root, 0)
    return failing
  }
  const { panel, add, enable, keys, onHost } = await withAlice({ shell: '/bin/bash' }, { driver })
  const { key } = (await add(keyOf(1))).body
  await enable()
  await occurred(panel)
  failing!.failures = 3
  await add(keyOf(2))
  await exhaust(panel)
  expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['ssh.apply failed'] })
  expect(await keys()).toEqual([key])
  expect((await add(keyOf(2))).status).toBe(202)
  await occurred(panel)
  expect(onHost()).toEqual([keyOf(1), keyOf(2)])
})
