import { expect, test } from 'vitest'
import { turns } from '../clock.ts'
import { type Json, startPanel } from '../harness.ts'

test("a reseller's customers share how many of their requests wait for events, whatever tokens they use", async () => {
  const panel = await startPanel()
  const rita = await panel.account('rita')
  await panel.post('/resellers', { account_id: rita.id })
  const [ann, bob, cat] = [await panel.account('ann'), await panel.account('bob'), await panel.account('cat')]
  await panel.store.change(() => {
    panel.store.sqlite.prepare('UPDATE accounts SET owner_id = ? WHERE id IN (?, ?)').run(rita.id, ann.id, bob.id)
  })
  const tokenOf = ({ id }: Json) => panel.token(['events:read'], { account: id })
  const [dan, eve] = [await panel.account('dan'), await panel.account('eve')]
  await panel.store.change(() => {
    panel.store.sqlite.prepare('UPDATE accounts SET owner_id = ? WHERE id IN (?, ?)').run(rita.id, dan.id, eve.id)
  })
  const tokens: [string, string][] = []
  for (const account of [ann, bob, dan, eve])
    for (let n = 0; n < 3; n++) tokens.push([account.id, await tokenOf(account)])
  const [another, ofCat] = [await tokenOf(bob), await tokenOf(cat)]
  const { next } = (await panel.get('/events')).body
  const wait = (id: string, token: string) =>
    panel.get(`/accounts/${id}/events?after=${next}&wait=30`, { token }).then(({ status }) => status)
  const waits: Promise<number>[] = []
  for (const [id, token] of tokens) {
    const count = tokens.filter(([one]) => one === id).at(-1)![1] === token ? 10 : 20
    for (let n = 0; n < count; n++) waits.push(wait(id, token))
    await turns()
  }
  expect(await wait(bob.id, another)).toBe(503)
  waits.push(wait(cat.id, ofCat))
  await turns()
  await panel.clock.advance(30_000)
  expect(new Set(await Promise.all(waits))).toEqual(new Set([200]))
  const again = wait(bob.id, another)
  await turns()
  await panel.clock.advance(30_000)
  expect(await again).toBe(200)
})

test("an account's tokens share its requests that wait, and root's have places of their own", async () => {
  const panel = await startPanel()
  const accounts = await Promise.all(Array.from({ length: 21 }, (_, n) => panel.account(`customer${n}`)))
  const { next } = (await panel.get('/events')).body
  const waits: Promise<number>[] = []
  const wait = (id: string, token: string) =>
    panel.get(`/accounts/${id}/events?after=${next}&wait=30`, { token }).then(({ status }) => status)
  for (const { id } of accounts.slice(0, 20)) {
    for (const count of [20, 20, 10]) {
      const token = await panel.token(['events:read'], { account: id })
      for (let n = 0; n < count; n++) waits.push(wait(id, token))
      await turns()
    }
    expect(await wait(id, await panel.token(['events:read'], { account: id }))).toBe(503)
  }
  const last = accounts[20]!.id
  const another = await panel.token(['events:read'], { account: last })
  waits.push(wait(last, another))
  await turns()
  expect(await wait(last, another)).toBe(503)
  for (let n = 0; n < 2; n++) waits.push(panel.get(`/events?after=${next}&wait=30`).then(({ status }) => status))
  await turns()
  await panel.clock.advance(30_000)
  expect(new Set(await Promise.all(waits))).toEqual(new Set([200]))
})
