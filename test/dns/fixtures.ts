import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { domainsIn } from '../domains/fixtures.ts'
import { type Json, type PanelOptions, type Reply, startPanel, type TestPanel } from '../harness.ts'

export { nothing, occurred, problem } from '../domains/fixtures.ts'

/** A panel with the account alice, and helpers for the zone of its main domain. */
export async function withZone(options: PanelOptions = {}) {
  const panel = await startPanel(options)
  const alice = await panel.account('alice')
  return { panel, alice, ...domainsIn(panel, alice.id), ...(await zoneOf(panel, alice.id, 'alice.example')) }
}

export async function zoneOf(panel: TestPanel, account: string, name: string) {
  const zones = `/accounts/${account}/dns/zones`
  const { id } = (await panel.get(`${zones}?per_page=500`)).body.items.find((one: Json) => one.name === name)
  const zone = `${zones}/${id}`
  const records = async (query = ''): Promise<Json[]> =>
    (await panel.get(`${zone}/records?per_page=500${query}`)).body.items
  return {
    zones,
    zone,
    records,
    show: async (): Promise<Json> => (await panel.get(zone)).body,
    add: (name: string, type: string, value: string, more: object = {}): Promise<Reply> =>
      panel.post(`${zone}/records`, { name, type, value, ...more }),
    change: (body: object): Promise<Reply> => panel.post(`${zone}/changes`, body),
    load: (zone_file: string, more: object = {}): Promise<Reply> =>
      panel.post(`${zone}/import`, { zone_file, ...more }),
    async find(name: string, type: string): Promise<Json> {
      return (await records()).find((one) => one.name === name && one.type === type)
    },
    file: (name: string) => readFileSync(join(panel.dir, 'host/etc/bind/panel/zones', `${name}.zone`), 'utf8'),
  }
}

/** The response to a change that must be accepted. */
export function accepted(reply: Reply): Json {
  expect(reply.status, JSON.stringify(reply.body)).toBe(202)
  return reply.body
}
