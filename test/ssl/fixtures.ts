import { expect } from 'vitest'
import { events } from '../../src/contract/events.ts'
import { withAlice as withDomains } from '../domains/fixtures.ts'
import type { Json, PanelOptions, Reply, TestPanel } from '../harness.ts'

export { exhaust, host, nothing, occurred, problem } from '../domains/fixtures.ts'

/** A panel with the account alice and her domain shop.example, and helpers for its certificates. */
export async function withShop(options: PanelOptions = {}) {
  const input = await withDomains(options)
  const { panel, alice } = input
  const shop = await input.domain('shop.example')
  return { ...input, shop, ...certificatesIn(panel, alice.id, shop.id) }
}

export function certificatesIn(panel: TestPanel, account: string, domain: string) {
  const base = `/accounts/${account}/ssl`
  const path = `${base}/certificates`
  return {
    base,
    certificates: path,
    install: (made: { certificate: string; key?: string; ca_bundle?: string }): Promise<Reply> => {
      const { key, ...rest } = made
      return panel.post(path, { domain_id: domain, ...rest, ...(key === undefined ? {} : { private_key: key }) })
    },
    /** The certificate that the domain's site presents. */
    used: async (): Promise<Json> =>
      (await panel.get(`${path}?per_page=500`)).body.items.find((one: Json) => one.domain_id === domain),
  }
}

/** Every certificate event so far matches the contract. */
export async function expectDeclared(panel: TestPanel): Promise<string[]> {
  const received: Json[] = (await panel.get('/events?limit=500')).body.items.filter(({ type }: Json) =>
    /^ssl\./.test(type),
  )
  for (const { type, data } of received) {
    const { object, details } = events[type as 'ssl.installed']
    expect(data.object).toBe(object)
    expect(details.parse(data.details)).toEqual(data.details)
  }
  return received.map(({ type }) => type)
}
