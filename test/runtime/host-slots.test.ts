import { describe, expect, test } from 'vitest'
import { shareholder } from '../../src/runtime/jobs/shares.ts'
import { HostSlots } from '../../src/runtime/operations/host-call.ts'
import { startPanel } from '../harness.ts'

type Enter = (account: string, owner: string) => () => void

/** How many of so many requests start, by accounts of the owner in turn. */
function count(enter: Enter, owner: string, accounts: number, requests: number): number {
  let started = 0
  for (let n = 0; n < requests; n++)
    try {
      enter(`${owner}-${n % accounts}`, owner)
      started++
    } catch {}
  return started
}

describe('host calls in flight', () => {
  test('gives the calls of a reseller with 100 accounts a share of the slots', () => {
    const slots = new HostSlots()
    const calls: Enter = (account, owner) => slots.call('node1', account, owner)
    const streams: Enter = (account, owner) => slots.stream('node1', account, owner)
    expect([count(calls, 'reseller', 100, 400), count(streams, 'reseller', 100, 400)]).toEqual([8, 8])
    expect([count(calls, 'bob', 1, 10), count(streams, 'bob', 1, 10)]).toEqual([4, 2])
    expect(() => slots.call('node1', 'reseller-1', 'reseller')).toThrow(
      "The owner's accounts have 8 such requests in progress.",
    )
    expect(() => slots.call('node1', 'bob-0', 'bob')).toThrow('This account has 4 such requests in progress.')
  })
  test('refuses no calls of others when the slots are used up', () => {
    const slots = new HostSlots()
    const calls: Enter = (account, owner) => slots.call('node1', account, owner)
    for (let n = 0; n < 8; n++) expect(count(calls, `customer${n}`, 1, 5)).toBe(4)
    expect(count(calls, 'bob', 1, 3)).toBe(1)
    expect(() => slots.call('node1', 'bob-0', 'bob')).toThrow('The host is busy.')
  })
  test('bounds calls in all, and gives back each slot once', () => {
    const slots = new HostSlots()
    const leave = Array.from({ length: 64 }, (_, n) => slots.call('node1', `customer${n}`, `customer${n}`))
    expect(() => slots.call('node1', 'bob', 'bob')).toThrow('The host is busy.')
    leave[0]!()
    leave[0]!()
    slots.call('node1', 'bob', 'bob')
    expect(() => slots.call('node1', 'ann', 'ann')).toThrow('The host is busy.')
  })
  test("leaves a node's slots free when the calls to another hang", () => {
    const slots = new HostSlots()
    for (let n = 0; n < 64; n++) slots.call('node1', `customer${n}`, `customer${n}`)
    for (let n = 0; n < 8; n++) slots.stream('node1', `of-reseller${n}`, 'reseller')
    expect(() => slots.call('node1', 'bob', 'bob')).toThrow('The host is busy.')
    expect(() => slots.stream('node1', 'of-reseller8', 'reseller')).toThrow('have 8 such requests in progress.')
    const calls: Enter = (account, owner) => slots.call('node2', account, owner)
    const streams: Enter = (account, owner) => slots.stream('node2', account, owner)
    expect([count(calls, 'bob', 1, 10), count(streams, 'reseller', 10, 10)]).toEqual([4, 8])
  })
})

test("root's customers have a share each, a reseller's customers one with it", async () => {
  const panel = await startPanel()
  const { db } = panel.store
  const bob = await panel.account('bob')
  expect(shareholder(db, bob.id, bob.owner_id)).toBe(bob.id)
  expect([shareholder(db, 'customer', 'reseller'), shareholder(db, 'reseller')]).toEqual(['reseller', 'reseller'])
})
