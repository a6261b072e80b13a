import type { WhmFunction } from '../function.ts'

/** Constant, in cPanel's format: clients compare it. */
const number = '11.110.0.1'

export const version: WhmFunction = {
  name: 'version',
  needs: [],
  shape: 'bare',
  run: async () => ({ data: { version: number } }),
}

/** The caller's nameservers, if its token can read them. */
export const get_nameserver_config: WhmFunction = {
  name: 'get_nameserver_config',
  needs: [],
  shape: 'read',
  async run({ session }) {
    if (!session.reseller || session.denial('getReseller')) return { data: { nameservers: [] } }
    const { nameservers } = await session.perform('getReseller', { params: { id: session.id } })
    return { data: { nameservers } }
  },
}
