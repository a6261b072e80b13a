import type { Packed, SavedHome } from '../../backup/home.ts'
import type { Tenant, Workers } from './pool.ts'

/** A home for backups: its owner's process reads and writes it, while the backup itself stays with root. */
export const savedByWorker = (workers: Workers, tenant: () => Tenant): SavedHome => ({
  async pack(part, signal) {
    const asked = workers.ask(tenant(), 'pack', { part }, signal)
    if ((await asked.opened()) === null) {
      await asked.done()
      return undefined
    }
    let packed: Packed | null = null
    const bytes = async function* () {
      yield* asked.bytes()
      packed = await asked.done()
    }
    return { bytes: bytes(), told: () => packed ?? { files: 0, bytes: 0, warnings: [] } }
  },
  async stage(staging, bytes, signal) {
    const asked = workers.ask(tenant(), 'stage', staging, signal)
    const sent = asked.send(bytes)
    sent.catch(() => {})
    const swap = await asked.done()
    await sent
    return swap
  },
  swap: async (name, swap) => void (await workers.ask(tenant(), 'swap', { name, swap }).done()),
  clear: async (name) => void (await workers.ask(tenant(), 'clear', { name }).done()),
})
