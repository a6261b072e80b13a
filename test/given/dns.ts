import type { Given } from './index.ts'

/** An account comes with a zone. */
export const given: Given = {
  host: { dns: { zones: [] } },
  async ofAccount(panel, account) {
    const zones = `/accounts/${account}/dns/zones`
    const [zone] = (await panel.get(zones)).body.items
    const [record] = (await panel.get(`${zones}/${zone.id}/records`)).body.items
    return {
      '/accounts/{id}/dns/zones/{zid}': zone.id,
      '/accounts/{id}/dns/zones/{zid}/records/{rid}': record.id,
    }
  },
}
