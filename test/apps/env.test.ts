import { describe, expect, test } from 'vitest'
import { nothing, occurred, problem } from '../domains/fixtures.ts'
import { withAlice } from './fixtures.ts'

const refused = [
  ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'PORT', 'PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD'],
  ...['TMPDIR', 'IFS', 'BASH_ENV', 'GCONV_PATH', 'GLIBC_TUNABLES', 'PANEL_X', 'PANEL_RUN'],
  ...['A=B', 'A\nB', 'A\n', '1A', 'A B', 'Ä', '', 'A'.repeat(129)],
]

describe('environment of an app', () => {
  test('refuses reserved variables, and then sets none at all', async () => {
    const { panel, app, path } = await withAlice({})
    const { id } = await app()
    for (const name of refused) {
      const set = [
        { name: 'GOOD', value: 'x' },
        { name, value: 'x' },
      ]
      const reply = await panel.patch(`${path}/${id}/env`, { set })
      expect([name, reply.status, reply.code]).toEqual([name, 400, 'validation'])
    }
    expect((await panel.get(`${path}/${id}/env`)).body.items).toEqual([])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('takes the names that programs use, such as ENV, LD_SDK_KEY and GIT_COMMIT', async () => {
    const { panel, app, path } = await withAlice({})
    const { id } = await app()
    const names = ['ENV', 'GIT_COMMIT', 'GIT_SSH_COMMAND', 'LD_CLIENT_SIDE_ID', 'LD_SDK_KEY', 'PATH_PREFIX', 'PORTS']
    const set = names.map((name) => ({ name, value: 'x' }))
    expect((await panel.patch(`${path}/${id}/env`, { set })).status).toBe(202)
    const { items } = (await panel.get(`${path}/${id}/env`)).body
    expect(items.map(({ name }: { readonly name: string }) => name)).toEqual(names)
  })

  test('sets, changes and removes variables by name, and never shows secrets', async () => {
    const { panel, app, path } = await withAlice({})
    const { id } = await app()
    const updated_at = panel.clock.now()
    const set = [
      { name: 'LANG', value: 'C.UTF-8' },
      { name: 'KEY', value: 'canary-Siskin-1', secret: true },
    ]
    const reply = await panel.patch(`${path}/${id}/env`, { set })
    expect([reply.status, reply.body.items]).toEqual([
      202,
      [
        { name: 'KEY', secret: true, updated_at },
        { name: 'LANG', secret: false, value: 'C.UTF-8', updated_at },
      ],
    ])
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['app.apply succeeded'] })
    await panel.patch(`${path}/${id}/env`, { set: [{ name: 'KEY', value: 'open' }], remove: ['LANG', 'NONE'] })
    expect((await panel.get(`${path}/${id}/env`)).body.items).toEqual([
      { name: 'KEY', secret: false, value: 'open', updated_at },
    ])
    expect(JSON.stringify(panel.store.sqlite.prepare('SELECT * FROM audit').all())).not.toContain('Siskin')
  })

  test.each([
    ['set', { set: [{ name: 'A', value: 'a\0b' }] }],
    ['set', { set: [{ name: 'A', value: 'ü'.repeat(16_385) }] }],
    ['set', { set: [1, 2].map(() => ({ name: 'A', value: 'a' })) }],
    ['set', { set: Array.from({ length: 201 }, (_, n) => ({ name: `A${n}`, value: '' })) }],
    ['set', { set: Array.from({ length: 9 }, (_, n) => ({ name: `A${n}`, value: 'a'.repeat(32_768) })) }],
    ['remove', { set: [{ name: 'A', value: 'a' }], remove: ['A'] }],
  ])('limits the environment: %s', async (field, body) => {
    const { panel, app, path } = await withAlice({})
    const { id } = await app()
    const reply = await panel.patch(`${path}/${id}/env`, body)
    expect([reply.status, reply.code]).toEqual([400, 'validation'])
    expect(Object.keys(reply.body.fields)[0]).toMatch(new RegExp(`^${field}`))
    expect((await panel.get(`${path}/${id}/env`)).body.items).toEqual([])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('counts what was set before', async () => {
    const { panel, app, path } = await withAlice({})
    const { id } = await app()
    const variables = (from: number, length: number) =>
      Array.from({ length }, (_, n) => ({ name: `A${from + n}`, value: '' }))
    expect((await panel.patch(`${path}/${id}/env`, { set: variables(0, 200) })).status).toBe(202)
    expect(problem(await panel.patch(`${path}/${id}/env`, { set: variables(200, 1) }))).toEqual([
      400,
      'validation',
      'set',
    ])
    expect((await panel.patch(`${path}/${id}/env`, { set: variables(200, 1), remove: ['A0'] })).status).toBe(202)
  })

  test('accepts no idempotency key', async () => {
    const { panel, app, path } = await withAlice({})
    const { id } = await app()
    const headers = { 'Idempotency-Key': 'once' }
    expect((await panel.patch(`${path}/${id}/env`, { set: [] }, { headers })).status).toBe(400)
  })
})
