import { existsSync, readFileSync } from 'node:fs'
import type { ServicePorts } from '../../../shared/firewall.ts'
import { Firewall, type FirewallMachine, type HostFirewall } from '../../firewall/firewall.ts'
import type { Run } from '../commands.ts'
import { foreignChains, nft } from './foreign.ts'
import { listeners } from './listeners.ts'
import { firewallFile, firewallLoader, firewallRevert, firewallRules, firewallServicesFile } from './places.ts'

const systemctl = '/usr/bin/systemctl'

/** The firewall of this machine; the timer that undoes a change is systemd's, so that it outlives the agent. */
export const debianFirewall = (run: Run): HostFirewall => new Firewall({ path: firewallRules, machine: machine(run) })

const machine = (run: Run): FirewallMachine => ({
  services: () =>
    existsSync(firewallServicesFile)
      ? (JSON.parse(readFileSync(firewallServicesFile, 'utf8')) as readonly ServicePorts[])
      : undefined,
  seen: async () => ({ listening: await listeners(run), foreign: (await foreignChains(run)).map(({ row }) => row) }),
  load: async (rules) => {
    const table = readFileSync(firewallFile, 'utf8').replaceAll(`"${firewallRules}"`, `"${rules}"`)
    await run(nft, ['-f', '-'], { input: table })
  },
  arm: async (seconds) => void (await run('/usr/bin/systemd-run', timerWords(seconds))),
  disarm: async () => {
    // A unit that is not there is as good as one that was stopped.
    await run(systemctl, ['stop', `${firewallRevert}.timer`, `${firewallRevert}.service`], { fine: [5] })
  },
})

/** Exported for tests. */
export const timerWords = (seconds: number): readonly string[] => [
  ...['--quiet', '--collect', `--unit=${firewallRevert}`, '--service-type=oneshot'],
  ...[`--on-active=${seconds}s`, '--timer-property=AccuracySec=100ms', firewallLoader],
]
