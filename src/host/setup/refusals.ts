import { existsSync } from 'node:fs'
import { zoneResolver } from '../../shared/resolver.ts'
import { SetupError } from './error.ts'

/** Other panels, by files that only they have. */
const panels: readonly (readonly [string, readonly string[]])[] = [
  ['cPanel', ['/usr/local/cpanel']],
  ['Plesk', ['/usr/local/psa', '/opt/psa', '/etc/psa']],
  ['Hestia', ['/usr/local/hestia']],
  ['Vesta', ['/usr/local/vesta']],
  ['ISPConfig', ['/usr/local/ispconfig']],
  ['Virtualmin', ['/etc/webmin/virtual-server', '/usr/share/webmin/virtual-server']],
  ['DirectAdmin', ['/usr/local/directadmin']],
  ['Froxlor', ['/etc/froxlor']],
]

/** Refuses a machine that another panel manages. */
export function refuseOtherPanels(root: string): void {
  const found = panels.find(([, places]) => places.some((place) => existsSync(root + place)))
  if (found) throw new SetupError(`This machine already hosts with ${found[0]}: panel needs a machine of its own.`)
}

export function refuseWithoutSystemd(root: string): void {
  if (!existsSync(`${root}/run/systemd/system`))
    throw new SetupError('systemd is not running here: panel hosts on machines that systemd has booted.')
}

/** The units come with the Debian package. */
export function refuseWithoutPackage(root: string): void {
  if (!existsSync(`${root}/usr/lib/systemd/system/panel-host.service`))
    throw new SetupError('The Debian package of panel is not installed: apt install ./panel_VERSION_ARCHITECTURE.deb')
}

/** The machine must see names as the world does, not as accounts' zones have them. */
export function refuseOwnResolver(root: string, own?: readonly string[]): void {
  const server = zoneResolver([], root, own && [...own])
  if (server !== undefined)
    throw new SetupError(
      `/etc/resolv.conf leads to ${server}, this machine's own name server: name another resolver there, such as your provider's.`,
    )
}
