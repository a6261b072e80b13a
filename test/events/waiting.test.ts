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
  const tokens: [string, string][] = []
  for (const account of [ann, bob]) for (let n = 0; n < 5; n++) tokens.push([account.id, await tokenOf(account)])
  const [another, ofCat] = [await tokenOf(bob), await tokenOf(cat)]
  const { next } = (await panel.get('/events')).body
  const wait = (id: string, token: string) =>
    panel.get(`/accounts/${id}/events?after=${next}&wait=30`, { token }).then(({ status }) => status)
  const waits: Promise<number>[] = []
  for (const [id, token] of tokens) {
    for (let n = 0; n < 20; n++) waits.push(wait(id, token))
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
