import { describe, expect, test } from 'vitest'
import { mailOf } from '../email/fixtures.ts'
import { startPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'
import { resellerToken } from '../world.ts'

const password = 'correct horse battery'

describe('turns of slow work', () => {
  test("a sign-in does not wait for all of a reseller's password changes", async () => {
    const panel = await startPanel()
    const [rita, ann] = [await panel.account('rita'), await panel.account('ann')]
    await panel.account('bob', { password })
    const token = await resellerToken(panel, rita.id, ['all'])
    await panel.store.change(() => {
      panel.store.sqlite.prepare('UPDATE accounts SET owner_id = ? WHERE id = ?').run(rita.id, ann.id)
    })
    const ended: number[] = []
    const change = async () =>
      ended.push((await panel.post(`/accounts/${ann.id}/password`, { new_password: password }, { token })).status)
    const changes = Array.from({ length: 14 }, change)
    const { status } = await new Browser(panel).signIn('bob', password)
    expect([status, ended.length < 9]).toEqual([200, true])
    await Promise.all(changes)
    expect(ended).toEqual(Array(14).fill(204))
  })
  test("a mailbox's password does not wait for all of another account's", async () => {
    const panel = await startPanel()
    const [ann, bob] = [await panel.account('ann'), await panel.account('bob')]
    const token = await panel.token(['full-access'], { account: ann.id })
    const other = await panel.token(['full-access'], { account: bob.id })
    const ended: number[] = []
    const create = async (n: number) =>
      ended.push((await mailOf(panel, ann.id).ask(`box${n}@ann.example`, {}, { token })).status)
    const creates = Array.from({ length: 14 }, (_, n) => create(n))
    expect((await mailOf(panel, bob.id).ask('info@bob.example', {}, { token: other })).status).toBe(202)
    expect(ended.length).toBeLessThan(9)
    await Promise.all(creates)
    expect(ended).toEqual(Array(14).fill(202))
  })
  test('an account with many passwords waiting is answered 429', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('ann')
    const token = await panel.token(['full-access'], { account: id })
    const boxes = Array.from({ length: 30 }, (_, n) => mailOf(panel, id).ask(`box${n}@ann.example`, {}, { token }))
    const replies = await Promise.all(boxes)
    const refused = replies.filter(({ status }) => status === 429)
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(18)
    expect(refused.map(({ code, headers }) => [code, headers.get('retry-after')])).toEqual(
      Array(12).fill(['rate-limited', '1']),
    )
  })
})
