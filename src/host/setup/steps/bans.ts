import { bansLoader, bansTable, loaderText } from '../../debian/bans/table.ts'
import { dropTable, earlyTableUnit } from '../nft.ts'
import type { SetupStep } from '../step.ts'

/** What is banned stays so before the network is up, and when Debian's own rules are loaded again. */
const unit = earlyTableUnit('Banned addresses', bansLoader, bansTable)

/** Addresses that failed to sign in too often are dropped; the agent says which. */
export const bans: SetupStep = {
  name: 'bans',
  packages: () => ['nftables'],
  files: () => [
    { path: bansLoader, content: loaderText, mode: 0o700 },
    { path: '/etc/systemd/system/panel-bans.service', content: unit, mode: 0o644 },
  ],
  undo: (run) => dropTable(run, bansTable),
  units: () => [{ name: 'panel-bans.service', run: true, renew: 'reload' }],
}
