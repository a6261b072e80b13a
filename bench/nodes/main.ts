import { parseArgs } from 'node:util'
import { machineLoad, missedBounds } from './figures.ts'
import type { Sizes } from './sizes.ts'

// What nodes and the second copy of the store are measured by. All rows, or those that are named.

const rows: Readonly<Record<string, () => Promise<{ measure(sizes: Sizes): Promise<void> }>>> = {
  links: () => import('./rows/links.ts'),
  dead: () => import('./rows/dead.ts'),
  placed: () => import('./rows/placed.ts'),
  stream: () => import('./rows/stream.ts'),
  many: () => import('./rows/many.ts'),
  copy: () => import('./rows/copy.ts'),
  secondary: () => import('./rows/secondary.ts'),
  alone: () => import('./rows/alone.ts'),
  chaos: () => import('./rows/chaos.ts'),
}

const number = (value: string) => ({ type: 'string', default: value }) as const

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    agents: number('50'),
    accounts: number('45000'),
    gigabytes: number('10'),
    store: number('3'),
    before: number('26be71dd^'),
  },
})
const unknown = positionals.filter((name) => !(name in rows))
if (unknown.length > 0) throw new Error(`no row ${unknown.join(', ')}: there are ${Object.keys(rows).join(', ')}`)

const sizes: Sizes = {
  agents: Number(values.agents),
  accounts: Number(values.accounts),
  gigabytes: Number(values.gigabytes),
  store: Number(values.store),
  before: values.before,
}
for (const name of positionals.length > 0 ? positionals : Object.keys(rows)) {
  console.log(`\n${name} (machine load ${machineLoad()})`)
  await (await rows[name]!()).measure(sizes)
}
console.log(`\nmachine load ${machineLoad()}; ${missedBounds()} figures are not what they ought to be`)
process.exit(missedBounds() > 0 ? 1 : 0)
