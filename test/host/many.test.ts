import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { account, accounts, apply, bench, changes, nameOf, snapshot, withSerial } from './helpers.ts'

describe('many accounts', () => {
  test('applies accounts concurrently with the same result as one by one', async () => {
    const [together, single] = [bench(), bench()]
    const all = accounts(40)
    await Promise.all(all.map((one) => apply(together.driver, one)))
    for (const one of all) await apply(single.driver, one)
    expect(snapshot(together.root)).toEqual(snapshot(single.root))
  })

  test('applies accounts in one call with the same result as one by one, and reports progress', async () => {
    const [together, single] = [bench(), bench()]
    const all = accounts(20)
    const received: number[] = []
    const state = { server: { hostname: 'host.example', nameservers: [] }, accounts: all }
    await together.driver.apply(state, { progress: (_, done) => received.push(done) })
    for (const one of all) await single.driver.apply({ ...state, accounts: [one] })
    expect(snapshot(together.root)).toEqual(snapshot(single.root))
    expect(received).toHaveLength(20)
    expect(received.at(-1)).toBe(1)
    expect(changes(await together.driver.apply(state))).toBe(0)
  })

  test('applies, suspends and removes accounts concurrently without disturbing each other', async () => {
    const { driver, read, has } = bench()
    const all = accounts(30)
    await Promise.all(all.map((one) => apply(driver, one)))
    const work = all.map((one, n) => {
      if (n % 3 === 0) return driver.remove(nameOf(one))
      return apply(driver, { ...one, suspended: n % 3 === 1 })
    })
    await Promise.all(work)
    for (const [n, { username, mainDomain }] of all.entries()) {
      expect(has(`home/${username}`)).toBe(n % 3 !== 0)
      const vhost = `etc/panel/nginx/sites/${mainDomain}.conf`
      if (n % 3 !== 0) expect(read(vhost).includes('503')).toBe(n % 3 === 1)
      else expect(has(vhost)).toBe(false)
    }
  })

  test('never applies the same account twice at once', async () => {
    let inside = 0
    let max = 0
    const precheck = async (staged: readonly { path: string }[]) => {
      if (!staged.some(({ path }) => path.includes('bob'))) return
      max = Math.max(max, ++inside)
      await new Promise((resolve) => setTimeout(resolve, 5))
      inside -= 1
    }
    const { driver, root } = bench({ checks: { precheck } })
    const states = [1, 2, 3, 4, 5].map(withSerial)
    await Promise.all(states.map((state) => apply(driver, state)))
    expect(max).toBe(1)
    expect(snapshot(root)['etc/bind/panel/zones/bob.example.zone']).toContain(' 5 3600 ')
  })
})

describe('usage of an account', () => {
  const now = () => Date.UTC(2026, 4, 15)
  const megabyte = 1024 * 1024

  test('counts what is in the home, and a file with two names once', async () => {
    const { driver, root } = bench({ now })
    await apply(driver, account())
    const [empty] = await driver.usage({ accounts: [nameOf(account())] })
    expect(empty).toMatchObject({ diskMb: 0, inodes: 7 })
    const dir = join(root, 'home/bob/apps/one')
    mkdirSync(dir)
    writeFileSync(join(dir, 'big'), Buffer.alloc(5 * megabyte, 1))
    linkSync(join(dir, 'big'), join(dir, 'same'))
    symlinkSync('/', join(dir, 'everything'))
    for (let n = 0; n < 300; n++) writeFileSync(join(dir, `file${n}`), '')
    const [usage] = await driver.usage({ accounts: [nameOf(account())] })
    expect(usage).toMatchObject({ id: account().id, inodes: 7 + 3 + 300, diskMb: 5 })
  })

  test('reports zero for a missing account, and finds one with a pending rename', async () => {
    const { driver } = bench({ now })
    const ghost = nameOf(account())
    expect(await driver.usage({ accounts: [ghost] })).toEqual([{ id: ghost.id, diskMb: 0, inodes: 0, mailboxes: [] }])
    await apply(driver, account())
    expect(await driver.usage({ accounts: [nameOf(account({ username: 'robert' }))] })).toMatchObject([{ inodes: 7 }])
  })
})
