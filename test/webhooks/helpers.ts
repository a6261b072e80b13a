import { expect } from 'vitest'
import { turns } from '../clock.ts'
import type { Json, TestPanel } from '../harness.ts'

export const minute = 60_000
export const hour = 60 * minute

/** A webhook of the server, or of an account. */
export async function webhook(panel: TestPanel, fields: Record<string, unknown>, account?: string): Promise<Json> {
  const made = await panel.post(account ? `/accounts/${account}/webhooks` : '/webhooks', fields)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return { ...made.body.webhook, secret: made.body.secret }
}

/** Sends everything that is due, and stores the results. */
export async function sent(panel: TestPanel): Promise<void> {
  await panel.dispatcher.idle()
  await turns()
}

/** Moves on to the next thing that happens, and lets it happen. */
export async function leap(panel: TestPanel, ms: number): Promise<void> {
  panel.clock.jump(ms)
  panel.dispatcher.wake()
  await sent(panel)
}

export const show = async (panel: TestPanel, wid: string): Promise<Json> => (await panel.get(`/webhooks/${wid}`)).body

export const deliveries = async (panel: TestPanel, wid: string, limit = 500): Promise<Json[]> =>
  (await panel.get(`/webhooks/${wid}/deliveries?limit=${limit}`)).body.items

/** Creates an event that every webhook of the server receives, without a job. */
export async function event(panel: TestPanel, name: string): Promise<void> {
  const made = await panel.post('/packages', { name })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
}
