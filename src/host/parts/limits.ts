import { fields, optional, whole } from '../fields.ts'
import { part } from '../part.ts'
import { systemDir, systemFile } from '../spec.ts'

/** Sizes in MB, bandwidth a month; absent is unlimited. */
export interface LimitsState {
  readonly diskMb?: number | undefined
  readonly inodes?: number | undefined
  readonly bandwidthMb?: number | undefined
  readonly phpChildren?: number | undefined
  readonly emailsPerHour?: number | undefined
}

const limit = optional(whole(0, 2 ** 40))
const shown = (value: number | undefined) => (value === undefined ? 'unlimited' : String(value))

/** The account's limits, for quotas and for the mail policy service to read. */
export const limits = part({
  name: 'limits',
  dirs: [systemDir('etc/panel/limits.d', 0o755)],
  check: fields<LimitsState>(
    { diskMb: limit, inodes: limit, bandwidthMb: limit, phpChildren: limit, emailsPerHour: limit },
    'limits',
  ),
  render({ username }, state) {
    const lines = [
      `disk_mb=${shown(state.diskMb)}`,
      `inodes=${shown(state.inodes)}`,
      `bandwidth_mb=${shown(state.bandwidthMb)}`,
      `php_children=${shown(state.phpChildren)}`,
      `emails_per_hour=${shown(state.emailsPerHour)}`,
    ]
    return { dirs: [], files: [systemFile(`etc/panel/limits.d/${username}`, 0o644, lines)] }
  },
})
