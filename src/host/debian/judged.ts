import type { Staged } from '../install/engine.ts'

/** The maximum to keep: files from a few templates have few shapes. */
const most = 100

/**
 * Checks only the first of the files with one shape; those without a shape are all checked. Refusals are not cached.
 */
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
