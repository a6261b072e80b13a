import { textDiff } from '../diff/differences.ts'
import type { Difference } from '../driver.ts'
import { factsOf, has } from './facts.ts'
import { rightsOf, textsOf } from './files.ts'
import type { Ground } from './ground.ts'
import { SetupRecord } from './record.ts'
import type { BaseDir, BaseFile, Do, Facts, Step, Unit } from './step.ts'
import { wholeSetup } from './steps/whole.ts'
import { systemctl } from './units.ts'

/** Tells users what repairs these: `panel host apply` is for what follows from the store. */
export const mendedBySetup = 'for panel host setup'

const everybodyReads = 0o004

interface Machine {
  readonly root?: string
  readonly steps?: readonly Step[]
  readonly known?: (ground: Ground) => Promise<Facts>
}

/** How a machine differs from what `panel host setup` made of it; nothing if that was never run. */
export async function setupDifferences(
  run: Do,
  { root = '', steps = wholeSetup, known = factsOf }: Machine = {},
): Promise<Difference[]> {
  const ground: Ground = { root, run, record: new SetupRecord(root), own: () => {}, say: () => {} }
  const done = steps.filter(({ name }) => ground.record.running(name) !== undefined)
  if (done.length === 0) return []
  const facts = await known(ground)
  const chosen = done.filter((step) => has(step, facts))
  const files = chosen.flatMap((step) => step.files?.(facts) ?? []).flatMap((file) => differenceOf(ground, file))
  const dirs = chosen.flatMap((step) => step.dirs ?? []).flatMap((dir) => differenceOfRights(ground, dir, '/'))
  return [
    ...dirs,
    ...files,
    ...(await ofUnits(
      run,
      chosen.flatMap(({ units }) => units?.(facts.suite) ?? []),
    )),
  ]
}

function differenceOf(ground: Ground, file: BaseFile): Difference[] {
  const { found, wanted } = textsOf(ground, file)
  const { path } = file
  if (found === undefined) return [{ path, change: 'missing', note: mendedBySetup }]
  if (file.seed) return []
  if (found === wanted) return differenceOfRights(ground, file)
  const isShown = (file.mode & everybodyReads) !== 0
  return [{ path, change: 'changed', note: mendedBySetup, ...(isShown && { diff: textDiff(path, found, wanted) }) }]
}

function differenceOfRights(ground: Ground, wanted: BaseFile | BaseDir, end = ''): Difference[] {
  const rights = rightsOf(ground, wanted)
  return rights ? [{ path: wanted.path + end, change: 'mode', note: `${rights}, ${mendedBySetup}` }] : []
}

const running = ['active', 'reloading', 'activating']

/** Units that should run and do not, or vice versa. */
async function ofUnits(run: Do, units: readonly Unit[]): Promise<Difference[]> {
  const known = units.filter((unit) => unit.run !== 'as-it-is')
  if (known.length === 0) return []
  const told = await run(systemctl, ['show', '--property=ActiveState', '--value', ...known.map(({ name }) => name)])
  const states = told.split('\n').filter((line) => line !== '')
  return known.flatMap(({ name, run: should }, at) => {
    const state = states[at] ?? 'unknown'
    if (running.includes(state) === should) return []
    return [{ path: name, change: should ? 'missing' : 'surplus', note: `is ${state}, ${mendedBySetup}` }]
  })
}
