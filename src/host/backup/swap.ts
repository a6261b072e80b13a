import { type Directory, holding } from '../homes/home/directory.ts'
import type { FailPoint } from '../install/engine.ts'
import type { HomeMove, Swap } from './home.ts'
import { decode, former, fresh, isThere, type Path, pathTo } from './paths.ts'

/** Swaps in what is staged; resumable. */
export const swapIn = (home: Directory, name: Buffer, swap: Swap, onFailPoint?: FailPoint): Promise<void> =>
  holding(home.down(name), (stage) => swapFrom(home, stage, swap, onFailPoint))

async function swapFrom(
  home: Directory,
  stage: Directory,
  { out, moves, back = [] }: Swap,
  onFailPoint?: FailPoint,
): Promise<void> {
  await holding(stage.down(former), async (old) => {
    for (const name of out.map((path) => Buffer.from(path, 'base64'))) {
      if ((await home.find(name)) && !(await old.find(name))) await home.rename(name, old, name)
      await onFailPoint?.('restore-out')
    }
    for (const [at, step] of stepsOf(moves, back).entries()) {
      await take(home, stage, old, step, at)
      await onFailPoint?.('restore-in')
    }
  })
  await home.flush()
}

interface SwapStep {
  readonly source: Path
  readonly target: Path
}

const stepsOf = (moves: readonly HomeMove[], back: readonly string[]): SwapStep[] => [
  ...moves.map(({ from, to }) => ({ source: [fresh, ...decode(from)], target: decode(to) })),
  ...back.map(decode).map((path) => ({ source: [former, ...path], target: path })),
]

async function take(home: Directory, stage: Directory, old: Directory, step: SwapStep, at: number): Promise<void> {
  const { source, target } = step
  if (!(await isThere(stage, source))) return
  await holding(descend(stage, source.slice(0, -1)), (staging) =>
    holding(pathTo(home, target), async (parent) => {
      const name = target.at(-1)!
      if (await parent.find(name)) await parent.rename(name, old, await freeName(old, at))
      await staging.rename(source.at(-1)!, parent, name)
      await parent.flush()
    }),
  )
}

async function freeName(old: Directory, at: number): Promise<Buffer> {
  for (let n = 0; ; n++) {
    const name = Buffer.from(`${at}.${n}`)
    if (!(await old.find(name))) return name
  }
}

async function descend(from: Directory, path: Path): Promise<Directory> {
  let current = await from.again()
  for (const part of path) {
    const above = current
    current = await above.down(part).finally(() => above.close())
  }
  return current
}
