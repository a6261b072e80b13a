import type { Difference } from '../contract/driver.ts'
import { textDiff } from '../diff/differences.ts'
import type { SetupContext } from './context.ts'
import { factsOf, has } from './facts.ts'
import { rightsOf, textsOf } from './files.ts'
import { SetupRecord } from './record.ts'
import type { BaseDir, BaseFile, Do, Facts, SetupStep, Unit } from './step.ts'
import { allSteps } from './steps/all.ts'
import { systemctl } from './units.ts'

/** Tells users what repairs these: `panel host apply` is for what follows from the store. */
export const repairedBySetup = 'for panel host setup'

const everybodyReads = 0o004

interface DriftHost {
  readonly root?: string
  readonly steps?: readonly SetupStep[]
  readonly known?: (context: SetupContext) => Promise<Facts>
}

/** How a machine differs from what `panel host setup` made of it; nothing if that was never run. */
export async function setupDifferences(
  run: Do,
  { root = '', steps = allSteps, known = factsOf }: DriftHost = {},
): Promise<Difference[]> {
  const context: SetupContext = { root, run, record: new SetupRecord(root), own: () => {}, say: () => {} }
  const done = steps.filter(({ name }) => context.record.running(name) !== undefined)
  if (done.length === 0) return []
  const facts = await known(context)
  const chosen = done.filter((step) => has(step, facts))
  const files = chosen.flatMap((step) => step.files?.(facts) ?? []).flatMap((file) => differenceOf(context, file))
  const dirs = chosen.flatMap((step) => step.dirs ?? []).flatMap((dir) => differenceOfRights(context, dir, '/'))
  return [
    ...dirs,
    ...files,
    ...(await ofUnits(
      run,
      chosen.flatMap(({ units }) => units?.(facts.suite) ?? []),
    )),
  ]
}

function differenceOf(context: SetupContext, file: BaseFile): Difference[] {
  const { found, desired: request } = textsOf(context, file)
  const { path } = file
  if (found === undefined) return [{ path, change: 'missing', note: repairedBySetup }]
  if (file.seed) return []
  if (found === request) return differenceOfRights(context, file)
  const isVisible = (file.mode & everybodyReads) !== 0
  return [
    { path, change: 'changed', note: repairedBySetup, ...(isVisible && { diff: textDiff(path, found, request) }) },
  ]
}

function differenceOfRights(context: SetupContext, request: BaseFile | BaseDir, end = ''): Difference[] {
  const rights = rightsOf(context, request)
  return rights ? [{ path: request.path + end, change: 'mode', note: `${rights}, ${repairedBySetup}` }] : []
}

const running = ['active', 'reloading', 'activating']

/** Units that should run and do not, or vice versa. */
async function ofUnits(run: Do, units: readonly Unit[]): Promise<Difference[]> {
  const known = units.filter((unit) => unit.run !== 'as-it-is')
  if (known.length === 0) return []
  const output = await run(systemctl, ['show', '--property=ActiveState', '--value', ...known.map(({ name }) => name)])
  const states = output.split('\n').filter((line) => line !== '')
  return known.flatMap(({ name, run: should }, at) => {
    const state = states[at] ?? 'unknown'
    if (running.includes(state) === should) return []
    return [{ path: name, change: should ? 'missing' : 'surplus', note: `is ${state}, ${repairedBySetup}` }]
  })
}
