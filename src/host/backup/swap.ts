import { type Directory, holding } from '../home/directory.ts'
import type { Faults } from '../install/engine.ts'
import type { Move, Swap } from './home.ts'
import { decode, former, fresh, isThere, type Path, wayTo } from './paths.ts'

/** Swaps in what is staged; resumable. */
export const swapIn = (home: Directory, name: Buffer, swap: Swap, faults?: Faults): Promise<void> =>
  holding(home.down(name), (stage) => swapFrom(home, stage, swap, faults))

async function swapFrom(
  home: Directory,
  stage: Directory,
  { out, moves, back = [] }: Swap,
  faults?: Faults,
): Promise<void> {
  await holding(stage.down(former), async (old) => {
    for (const name of out.map((path) => Buffer.from(path, 'base64'))) {
      if ((await home.find(name)) && !(await old.find(name))) await home.rename(name, old, name)
      await faults?.('restore-out')
    }
    for (const [at, way] of waysOf(moves, back).entries()) {
      await take(home, stage, old, way, at)
      await faults?.('restore-in')
    }
  })
  await home.flush()
}

interface Way {
  readonly source: Path
  readonly target: Path
}

const waysOf = (moves: readonly Move[], back: readonly string[]): Way[] => [
  ...moves.map(({ from, to }) => ({ source: [fresh, ...decode(from)], target: decode(to) })),
  ...back.map(decode).map((path) => ({ source: [former, ...path], target: path })),
]

async function take(home: Directory, stage: Directory, old: Directory, way: Way, at: number): Promise<void> {
  const { source, target } = way
  if (!(await isThere(stage, source))) return
  await holding(descend(stage, source.slice(0, -1)), (staging) =>
    holding(wayTo(home, target), async (parent) => {
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
  let here = await from.again()
  for (const part of path) {
    const above = here
    here = await above.down(part).finally(() => above.close())
  }
  return here
}
