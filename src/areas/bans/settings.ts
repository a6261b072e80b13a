import { invalid } from '../../contract/problem.ts'
import type { Settings } from '../../runtime/settings/settings.ts'
import { networkIn } from '../../shared/networks.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    /** Failed sign-ins after which an address is banned. */
    ban_failures: number
    /** Addresses and networks that are never banned. */
    ban_allow: readonly string[]
  }
}

export const DEFAULT_BAN_FAILURES = 10

export const settings = { ban_failures: DEFAULT_BAN_FAILURES, ban_allow: [] } as const

/** A wider network would be a way to switch bans off unseen. */
const MIN_BITS = { ipv4: 8, ipv6: 32 } as const

export function refuseSettings({ ban_allow = [] }: Partial<Settings>): void {
  for (const text of ban_allow) {
    const network = networkIn(text)
    if (!network) throw invalid('ban_allow', `${text} is neither an address nor a network`)
    const [family, least] = network.bytes.length === 4 ? ['IPv4', MIN_BITS.ipv4] : ['IPv6', MIN_BITS.ipv6]
    if (network.bits < least) throw invalid('ban_allow', `${text} is too large: at most /${least} of ${family}`)
  }
}
