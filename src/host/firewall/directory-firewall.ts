import { existsSync, readFileSync, rmSync } from 'node:fs'
import { type FirewallService, firewallServices } from '../../shared/firewall.ts'
import { Firewall, type FirewallMachine, type HostFirewall, pendingOf } from './firewall.ts'

const services = Object.entries(firewallServices)
  .filter(([service]) => service !== 'mysql')
  .flatMap(([service, ports]) =>
    ports.map((port) => ({ service: service as FirewallService, port, proto: 'tcp' as const })),
  )

/** A directory receives no packets: it keeps the rules that a machine would load, and undoes changes when asked. */
export function directoryFirewall(path: string, now: () => number): HostFirewall {
  const deadline = { at: Number.POSITIVE_INFINITY }
  const machine: FirewallMachine = {
    services: () => services,
    seen: async () => ({ listening: [], foreign: [] }),
    load: async (rules) => void readFileSync(rules),
    arm: async (seconds) => {
      deadline.at = now() + seconds * 1000
    },
    disarm: async () => {
      deadline.at = Number.POSITIVE_INFINITY
    },
  }
  const firewall = new Firewall({ path, machine })
  const expire = (): void => {
    const pending = pendingOf(path)
    if (now() >= deadline.at && existsSync(pending)) rmSync(pending)
  }
  return {
    async report() {
      expire()
      return firewall.report()
    },
    async change(change) {
      expire()
      return firewall.change(change)
    },
    async confirm(id) {
      expire()
      return firewall.confirm(id)
    },
  }
}
