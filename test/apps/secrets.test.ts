import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow } from '../backups/fixtures.ts'
import { occurred } from '../domains/fixtures.ts'
import { ask, program, withAlice } from './fixtures.ts'

const secret = 'canary-Siskin-4725'

test('a secret variable reaches the program, and is in no response, log, event, job, audit entry or backup', {
  timeout: 60_000,
}, async () => {
  const { panel, alice, path, app, deploy, socket } = await withAlice()
  const { id } = await app('shop', 'node', { start: 'node app.js', build: 'echo "key: $KEY"; echo "$KEY" >&2' })
  const set = [{ name: 'KEY', value: secret, secret: true }]
  const received = [await panel.patch(`${path}/${id}/env`, { set })]
  const visible = 'return response.end(process.env.KEY)'
  const { body } = await deploy(id, { 'app.js': program('', visible) })
  await occurred(panel)
  expect(await ask(socket(id))).toEqual({ status: 200, text: secret })
  await panel.post(`/accounts/${alice.id}/backups`, { parts: ['config'] })
  await occurred(panel)
  for (const one of [
    ...['', `/${id}`, `/${id}/env`, `/${id}/releases`, `/${id}/releases/${body.release.id}`].map((end) => path + end),
    ...[`/jobs/${body.job_id}`, '/jobs', '/events', '/audit', `/accounts/${alice.id}/backups`],
  ])
    received.push(await panel.get(one))
  expect(received.map(({ status }) => status)).toEqual([202, ...received.slice(1).map(() => 200)])
  const log = received.find(({ body: { job } }) => job)!.body.log.map((line: { message: string }) => line.message)
  expect(log).toEqual(expect.arrayContaining([expect.stringContaining('key: ***')]))
  const saved = join(panel.dir, 'backups', alice.id)
  const everywhere = [
    ...received.map(({ body: answer }) => JSON.stringify(answer)),
    ...panel.logged,
    ...filesBelow(saved).map((file) => readFileSync(join(saved, file), 'latin1')),
    ...tables(panel.store.sqlite),
  ]
  expect(everywhere.filter((text) => text.includes(secret))).toEqual([])
  expect(everywhere.some((text) => text.includes('"KEY"'))).toBe(true)
})

interface Sqlite {
  prepare(sql: string): { all(): unknown[] }
}

/** Everything in the store, table by table. */
function tables(sqlite: Sqlite): string[] {
  const names = sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
  return names.map(({ name }) => JSON.stringify(sqlite.prepare(`SELECT * FROM "${name}"`).all()))
}

test('a secret that the program prints is masked in its log, with its current value', { timeout: 60_000 }, async () => {
  const { panel, path, app, live } = await withAlice()
  const { id } = await app('shop', 'node', { start: 'node app.js', build: 'echo "built with $PLAIN"' })
  const set = [
    { name: 'KEY', value: `${secret}\nsecond-line`, secret: true },
    { name: 'PLAIN', value: 'canary-Plain-1' },
    { name: 'SHORT', value: 'blue1', secret: true },
  ]
  await panel.patch(`${path}/${id}/env`, { set })
  const says = `for (const name of ['KEY', 'PLAIN', 'SHORT']) console.log(name, process.env[name])
    console.log('x'.repeat(8185) + process.env.KEY)`
  const release = await live(id, { 'app.js': `${says}\n${program('')}` })
  const lines = async (query = ''): Promise<string[]> =>
    (await panel.get(`${path}/${id}/log${query}`)).body.items.map(({ text }: { text: string }) => text)
  const long = 'x'.repeat(8185)
  expect(await lines()).toEqual(['KEY ***', '***', 'PLAIN canary-Plain-1', 'SHORT blue1', `${long}***`, '***'])
  expect(await lines('?q=Siskin')).toEqual([])
  expect(await lines('?q=KEY')).toEqual(['KEY ***'])
  const built = `${path}/${id}/releases/${release.id}`
  const logs = async () =>
    Promise.all([built, `/jobs/${release.job_id}`].map(async (at) => (await panel.get(at)).body.log))
  expect(JSON.stringify(await logs()).split('built with canary-Plain-1')).toHaveLength(3)

  await panel.patch(`${path}/${id}/env`, { set: [{ name: 'PLAIN', value: 'canary-Plain-1', secret: true }] })
  expect((await lines())[2]).toBe('PLAIN ***')
  expect(JSON.stringify(await logs()).split('built with ***')).toHaveLength(3)
})
