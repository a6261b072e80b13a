import type { BanService } from '../../contract/bans.ts'

/** Where failures are counted by name. */
export type CountedService = Exclude<BanService, 'site' | 'manual'>
