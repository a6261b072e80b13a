import type { Staged } from '../install/engine.ts'

/** Kept at most: what is made of a few templates has few shapes. */
const most = 100

/** Judges of files with one shape the first; without a shape each is judged. What was refused is judged again. */
export function judgeOnce(
  shapeOf: (one: Staged) => string | undefined,
  judge: (one: Staged) => Promise<unknown>,
): (one: Staged) => Promise<void> {
  const passed = new Set<string>()
  return async (one) => {
    const shape = shapeOf(one)
    if (shape !== undefined && passed.has(shape)) return
    await judge(one)
    if (shape === undefined) return
    if (passed.size === most) passed.clear()
    passed.add(shape)
  }
}
