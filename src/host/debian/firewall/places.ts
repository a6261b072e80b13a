export const firewallTable = 'panel_firewall'
/** The table, which includes the rules. */
export const firewallFile = '/etc/panel/firewall.nft'
/** Ports of this machine's services. */
export const firewallServicesFile = '/etc/panel/firewall-services.json'
/** Discards a change that waits, and loads the table. */
export const firewallLoader = '/etc/panel/firewall-load'
/** The rules that stay. */
export const firewallRules = '/var/lib/panel-host/firewall.rules'
export const firewallUnit = 'panel-firewall.service'
/** Of the timer that undoes a change. */
export const firewallRevert = 'panel-firewall-revert'
