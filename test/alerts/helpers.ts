import { expect } from 'vitest'
import { turns } from '../clock.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import type { Receiver } from '../webhooks/receiver.ts'

export const minute = 60_000
export const hour = 60 * minute

/** The URL of a receiver as root may name it. */
export const urlOf = (receiver: Receiver): string => receiver.url

/** A channel of the server, or of an account. */
export async function channel(panel: TestPanel, fields: Record<string, unknown>, account?: string): Promise<Json> {
  const path = account ? `/accounts/${account}/alerts/channels` : '/alerts/channels'
  const made = await panel.post(path, fields)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return { ...made.body.channel, ...(made.body.secret && { secret: made.body.secret }) }
}

/** A webhook that was switched off: the notice with the fewest parts. */
export async function cause(
  panel: TestPanel,
  { since = panel.clock.now(), account }: { since?: number; account?: string } = {},
) {
  const path = account ? `/accounts/${account}/webhooks` : '/webhooks'
  const { webhook } = (await panel.post(path, { url: 'https://hooks.example/panel', enabled: false })).body
  await panel.store.change(() =>
    panel.store.sqlite
      .prepare(`UPDATE webhooks SET disabled_reason = 'It failed.', updated_at = ? WHERE id = ?`)
      .run(since, webhook.id),
  )
  return webhook.id as string
}

export const repair = (panel: TestPanel, webhookId: string): Promise<unknown> =>
  panel.store.change(() =>
    panel.store.sqlite.prepare('UPDATE webhooks SET disabled_reason = NULL WHERE id = ?').run(webhookId),
  )

export const spoil = (panel: TestPanel, webhookId: string, since = panel.clock.now()): Promise<unknown> =>
  panel.store.change(() =>
    panel.store.sqlite
      .prepare(`UPDATE webhooks SET disabled_reason = 'It failed.', updated_at = ? WHERE id = ?`)
      .run(since, webhookId),
  )

/** Moves on minute by minute, as causes are compared; deliveries over real sockets get their time. */
export async function pass(panel: TestPanel, minutes: number): Promise<void> {
  for (let n = 0; n < minutes; n++) {
    await panel.clock.advance(minute)
    await settled(panel)
  }
}

/** Until no message is on its way. */
export async function settled(panel: TestPanel): Promise<void> {
  await turns(30)
  if (busy(panel) === 0) return
  await expect.poll(() => busy(panel), { timeout: 5000, interval: 5 }).toBe(0)
  await turns(6)
}

const busy = (panel: TestPanel): number =>
  (panel.panel.engines.get('alerts') as unknown as { inFlight: number }).inFlight

export const alertsOf = async (panel: TestPanel, query = ''): Promise<Json[]> =>
  (await panel.get(`/alerts?order=asc${query}`)).body.items

export const started = async (): Promise<TestPanel> => {
  const panel = await startPanel()
  panel.forget()
  return panel
}
