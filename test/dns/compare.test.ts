import { expect, test } from 'vitest'
import { withZone } from './fixtures.ts'

test('a zone file is compared with its zone, and nothing is changed', async () => {
  const { panel, zone, show, add, records } = await withZone()
  await add('shop', 'A', '192.0.2.9', { ttl: 300 })
  await panel.settle()
  panel.forget()
  const [{ serial }, there] = [await show(), await records()]
  const { zone_file } = (await panel.get(`${zone}/export`)).body
  const compare = (text: string) => panel.post(`${zone}/compare`, { zone_file: text })
  const same = await compare(zone_file)
  expect(same).toMatchObject({ status: 200, body: { serial, created: [], deleted: [], unchanged: there.length } })
  const other = await compare(`${zone_file.replace(/^shop.*\n/m, '')}new 60 IN MX 5 mail\n`)
  expect(other.body.created).toEqual([{ name: 'new', type: 'MX', ttl: 60, value: 'mail.alice.example', priority: 5 }])
  expect(other.body.deleted).toEqual(there.filter(({ name }) => name === 'shop'))
  expect(await compare('shop A nonsense\n')).toMatchObject({
    status: 400,
    body: { fields: { zone_file: 'line 1: value: must be an IPv4 address' } },
  })
  const many = Array.from({ length: 2_001 }, (_, at) => `h${at} A 192.0.2.9\n`).join('')
  expect(await compare(zone_file + many)).toMatchObject({ status: 409, code: 'too-many' })
  expect([(await show()).serial, await records(), panel.events(), panel.jobs()]).toEqual([serial, there, [], []])
})
