import { describe, expect, test } from 'vitest'
import { FairQueue } from '../../src/runtime/fair-queue.ts'
import type { Turn } from '../../src/runtime/jobs/shares.ts'
import { KeyPool } from '../../src/runtime/security/rsa-keys.ts'
import { turns } from '../clock.ts'

const of = (owner: string, member = owner): Turn => ({ owner, member })

/** A queue whose only permit is taken until `open` is called, and the order in which work was done. */
function blocked(maxWaiting = 1000) {
  const queue = new FairQueue(1, maxWaiting)
  const done: string[] = []
  let open = (): void => {}
  const work = [queue.run(undefined, () => new Promise<void>((resolve) => (open = resolve)))]
  const add = (turn: Turn | undefined, name = turn?.member ?? 'root') => {
    const one = queue.run(turn, async () => void done.push(name))
    work.push(one.catch(() => {}))
    return one
  }
  const order = async (): Promise<string[]> => {
    await turns()
    open()
    await Promise.all(work)
    return done
  }
  return { queue, add, order }
}

describe('queue for slow work', () => {
  test("takes root's first, then turns round owners, and in an owner's turn round its members", async () => {
    const { add, order } = blocked()
    for (let n = 0; n < 3; n++) add(of('reseller', 'ann'))
    for (const turn of [of('reseller', 'ann'), of('reseller', 'bob'), of('cat'), of('cat'), undefined]) add(turn)
    expect(await order()).toEqual(['root', 'ann', 'cat', 'bob', 'cat', 'ann', 'ann', 'ann'])
  })
  test('bounds what a member and an owner have waiting, and nothing of others', async () => {
    const { add, order, queue } = blocked()
    const refused = { code: 'rate-limited', headers: { 'Retry-After': '1' } }
    for (let n = 0; n < 16; n++) add(of('reseller', 'ann'))
    await expect(add(of('reseller', 'ann'))).rejects.toMatchObject(refused)
    for (let n = 0; n < 48; n++) add(of('reseller', `customer${n % 3}`))
    await expect(add(of('reseller', 'bob'))).rejects.toMatchObject(refused)
    add(of('cat'))
    for (let n = 0; n < 20; n++) add(undefined)
    expect(queue.waiting).toBe(85)
    expect(await order()).toHaveLength(85)
    expect(queue.waiting).toBe(0)
  })
  test("leaves room in a full queue for root's and for an owner with none waiting", async () => {
    const { add, order } = blocked(4)
    for (let n = 0; n < 4; n++) add(of('ann'))
    await expect(add(of('ann'))).rejects.toMatchObject({ code: 'overloaded', headers: { 'Retry-After': '1' } })
    for (const name of ['bob', 'cat', 'dan', 'eve']) add(of(name))
    await expect(add(of('fay'))).rejects.toMatchObject({ code: 'overloaded' })
    add(undefined)
    expect(await order()).toEqual(['root', 'ann', 'bob', 'cat', 'dan', 'eve', 'ann', 'ann', 'ann'])
  })
})

test('makes a key for another caller after one of those that a tenant waits for', async () => {
  const waiting: (() => void)[] = []
  const pool = new KeyPool(
    () => new Promise((resolve) => waiting.push(() => resolve({ privatePem: '', publicKey: '' }))),
  )
  const made: string[] = []
  const make = (name: string) => pool.make(of(name)).then(() => made.push(name))
  const all = [...Array.from({ length: 10 }, () => make('ann')), make('bob')]
  await turns()
  for (let n = 0; n < 3; n++) {
    waiting.shift()!()
    await turns()
  }
  expect(made).toEqual(['ann', 'ann', 'bob'])
  while (waiting.length > 0) {
    waiting.shift()!()
    await turns()
  }
  await Promise.all(all)
})
