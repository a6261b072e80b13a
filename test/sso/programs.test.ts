import { expect, test } from 'vitest'
import { HostError, type ProgramRequest } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { problem } from '../domains/fixtures.ts'
import { withPrograms as driverWithPrograms } from '../drivers.ts'
import { startPanel } from '../harness.ts'
import { second } from '../nodes/second.ts'

const token = 'T'.repeat(43)

/** A panel whose host has the programs, what that host was told, and an account with a mailbox. */
async function withPrograms(answer = async (): Promise<{ token: string }> => ({ token })) {
  const orders: ProgramRequest[] = []
  const open = (order: ProgramRequest) => {
    orders.push(order)
    return answer()
  }
  const panel = await startPanel({
    driver: (root) => driverWithPrograms(createDirectoryDriver({ root }), open),
  })
  const alice = await panel.account('alice')
  const boxes = `/accounts/${alice.id}/email/accounts`
  const made = await panel.post(boxes, { address: 'info@alice.example', password: 'correct horse' })
  const box = `${boxes}/${made.body.mailbox.id}`
  await panel.settle()
  panel.forget()
  return { panel, alice, box, orders }
}

test('a link into phpMyAdmin has its own host name, and the host is told whose databases it opens', async () => {
  const { panel, alice, orders } = await withPrograms()
  const reply = await panel.post(`/accounts/${alice.id}/phpmyadmin`)
  expect([reply.status, reply.body]).toEqual([
    200,
    { url: `https://phpmyadmin.host.example/open?token=${token}`, expires_in: 60 },
  ])
  const account = { id: alice.id, username: 'alice', uid: 20_000, mainDomain: 'alice.example' }
  expect(orders).toEqual([{ account, program: 'phpmyadmin' }])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('a link into webmail names one mailbox, and the audit trail has the caller, without the token', async () => {
  const { panel, alice, box, orders } = await withPrograms()
  const reply = await panel.post(`${box}/webmail`)
  expect(reply.body).toEqual({ url: `https://webmail.host.example/open?token=${token}`, expires_in: 60 })
  expect(orders).toMatchObject([{ program: 'webmail', mailbox: 'info@alice.example' }])
  const { items } = (await panel.get(`/accounts/${alice.id}/audit`)).body
  expect(items.at(-1)).toMatchObject({ operation: 'createWebmailLink', actor: { name: 'root' } })
  expect(JSON.stringify(items) + panel.logged.join('')).not.toContain(token)
})

test('a mailbox that is locked or being deleted is not opened', async () => {
  const { panel, box, orders } = await withPrograms()
  await panel.post(`${box}/suspend`, {})
  expect(problem(await panel.post(`${box}/webmail`))).toEqual([409, 'suspended'])
  await panel.post(`${box}/unsuspend`)
  await panel.settle()
  expect((await panel.post(`${box}/webmail`)).status).toBe(200)
  await panel.delete(box)
  expect(problem(await panel.post(`${box}/webmail`))).toEqual([409, 'busy'])
  expect(orders).toHaveLength(1)
})

test('a suspended account opens nothing, and the host is not contacted', async () => {
  const { panel, alice, box, orders } = await withPrograms()
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  for (const path of [`/accounts/${alice.id}/phpmyadmin`, `${box}/webmail`])
    expect(problem(await panel.post(path))).toEqual([409, 'suspended'])
  expect(orders).toEqual([])
})

test('a program that this machine does not have is not configured', async () => {
  const { panel, alice, box } = await withPrograms(async () => {
    throw new HostError('unsupported', 'This machine does not have it.')
  })
  expect(problem(await panel.post(`/accounts/${alice.id}/phpmyadmin`))).toEqual([409, 'not-configured'])
  expect(problem(await panel.post(`${box}/webmail`))).toEqual([409, 'not-configured'])
})

test('an account on another node is refused a link, since it would open on the wrong machine', async () => {
  const { panel, orders } = await withPrograms()
  await second(panel, { name: 'web2' })
  const bob = await panel.account('bob', { node: 'web2' })
  const boxes = `/accounts/${bob.id}/email/accounts`
  const made = await panel.post(boxes, { address: 'info@bob.example', password: 'correct horse' })
  await panel.settle()
  panel.forget()
  const details = [`/accounts/${bob.id}/phpmyadmin`, `${boxes}/${made.body.mailbox.id}/webmail`].map(async (path) => {
    const { status, code, body } = await panel.post(path)
    return [status, code, body.detail]
  })
  expect(await Promise.all(details)).toEqual([
    [
      409,
      'not-configured',
      "phpMyAdmin opens accounts on the panel's own machine alone, and bob is on the node web2: use a database client over SSH to that node.",
    ],
    [
      409,
      'not-configured',
      "Webmail opens accounts on the panel's own machine alone, and bob is on the node web2: use a mail program with that node as its server.",
    ],
  ])
  expect([orders, panel.events(), panel.jobs()]).toEqual([[], [], []])
})
