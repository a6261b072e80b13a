import { existsSync } from 'node:fs'
import type { FirewallReport } from '../../contract/commands/firewall.ts'
import { plainText } from './plain-text.ts'

export const nft = '/usr/sbin/nft'
const MAX_CHAINS = 1000

/** A chain of others that judges incoming packets, and whether it drops what no rule of it names. */
interface ForeignChain {
  readonly row: FirewallReport['foreign'][number]
  readonly drops: boolean
}

interface Chain {
  readonly family: string
  readonly table: string
  readonly name: string
  readonly hook?: string
  readonly policy?: string
}
interface Rule {
  readonly family: string
  readonly table: string
  readonly chain: string
  readonly expr?: readonly Readonly<Record<string, unknown>>[]
}
type Item = { readonly chain?: Chain; readonly rule?: Rule }

type RunProgram = (program: string, args: readonly string[]) => Promise<string>

/** Those that nftables knows, and iptables where it uses nftables. */
export async function foreignChains(run: RunProgram, program = nft): Promise<readonly ForeignChain[]> {
  if (!existsSync(program)) return []
  return chainsIn(await run(program, ['-j', 'list', 'ruleset'])).slice(0, MAX_CHAINS)
}

/** Exported for tests. */
export function chainsIn(text: string): ForeignChain[] {
  const { nftables = [] } = JSON.parse(text) as { readonly nftables?: readonly Item[] }
  const rules = nftables.flatMap(({ rule }) => rule ?? [])
  return nftables
    .flatMap(({ chain }) => chain ?? [])
    .filter(({ hook, table }) => hook === 'input' && !/^panel_[a-z]+$/.test(table))
    .map((chain) => foreign(chain, rules))
}

function foreign(chain: Chain, all: readonly Rule[]): ForeignChain {
  const { family, table, name, policy = 'accept' } = chain
  const rules = all.filter((one) => one.family === family && one.table === table && one.chain === name)
  return {
    row: {
      ...{ chain: plainText(`${family} ${table} ${name}`), policy: plainText(policy), rules: rules.length },
    },
    drops: policy === 'drop' || rules.some(refusesAll),
  }
}

/** Whether it drops everything, without a condition. */
const refusesAll = ({ expr = [] }: Rule): boolean =>
  expr.every((one) => ['counter', 'log', 'limit', 'drop', 'reject'].some((word) => word in one)) &&
  expr.some((one) => 'drop' in one || 'reject' in one) &&
  !expr.some((one) => 'limit' in one)
