import { existsSync, readFileSync, rmSync } from 'node:fs'
import { foreignChains, nft } from '../debian/firewall/foreign.ts'
import { firewallFile, firewallLoader, firewallServicesFile, firewallUnit } from '../debian/firewall/places.ts'
import type { SetupContext } from './context.ts'
import { SetupError } from './error.ts'
import { isEnabled, systemctl } from './units.ts'

/** Refuses a machine with a firewall of others: what one of them lets pass, the other drops. */
export async function refuseOtherFirewalls(context: SetupContext): Promise<void> {
  const { root, run } = context
  const ufw = `${root}/etc/ufw/ufw.conf`
  if (existsSync(ufw) && /^ENABLED=yes/im.test(readFileSync(ufw, 'utf8')))
    throw refusal('ufw is enabled on this machine', 'ufw disable')
  if (await isEnabled(context, { name: 'firewalld.service' }))
    throw refusal('firewalld is enabled on this machine', 'systemctl disable --now firewalld')
  const other = (await foreignChains(run, root + nft)).find(({ drops }) => drops)
  if (other) throw refusal(`The chain ${other.row.chain} of nftables drops packets already`, 'nft list ruleset')
  if (await doesIptablesDrop(context))
    throw refusal('Rules of iptables drop packets on this machine already', 'iptables-legacy -S INPUT')
}

const refusal = (what: string, hint: string): SetupError =>
  new SetupError(`${what}: remove that firewall, or do without --firewall.`, hint)

const legacy = '/usr/sbin/iptables-legacy'

/** The rules that nftables does not know. */
async function doesIptablesDrop({ root, run }: SetupContext): Promise<boolean> {
  const tables = `${root}/proc/net/ip_tables_names`
  if (!existsSync(root + legacy) || !existsSync(tables) || !/^filter$/m.test(readFileSync(tables, 'utf8'))) return false
  const rules = await run(legacy, ['-S', 'INPUT'])
  return /^-P INPUT DROP$|^-A INPUT -j (?:DROP|REJECT)\b/m.test(rules)
}

/** Opens all ports again. */
export async function removeFirewall({ root, run }: SetupContext): Promise<boolean> {
  await run(systemctl, ['disable', '--now', '--quiet', firewallUnit])
  const files = [firewallFile, firewallLoader, firewallServicesFile, `/etc/systemd/system/${firewallUnit}`]
  for (const path of files) rmSync(root + path, { force: true })
  await run(systemctl, ['daemon-reload'])
  return true
}
