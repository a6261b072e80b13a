import { invalid } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { isBelow } from '../../shared/way.ts'

/** A page inside the chosen panel. 400 `fields.goto` for anything that could lead out of it. */
export function checkGoto(goto: string, panel: PanelName): string {
  const home = `/${panel}/`
  if (isBelow(goto, home)) return goto
  throw invalid(
    'goto',
    `must be a page of the chosen panel: a path below ${home} without \`//\`, \`..\`, backslashes or hidden characters`,
  )
}
