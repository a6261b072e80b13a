import { invalid } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'

/** A page inside the chosen panel. 400 `fields.goto` for whatever could lead out of it. */
export function checkGoto(goto: string, panel: PanelName): string {
  const home = `/${panel}/`
  const [path = ''] = goto.split(/[?#]/, 1)
  if (!goto.startsWith(home) || !isPlain(goto) || !staysBelow(path, home)) {
    throw invalid(
      'goto',
      `must be a page of the chosen panel: a path below ${home} without \`//\`, \`..\`, backslashes or hidden characters`,
    )
  }
  return goto
}

/** Printable ASCII, without what browsers read as another slash. */
const isPlain = (goto: string): boolean => /^[\x21-\x7e]+$/.test(goto) && !goto.includes('\\') && !goto.includes('//')

/** Each part of the path, decoded as often as it can be, is a plain name. */
function staysBelow(path: string, home: string): boolean {
  const parts = path.split('/').map(decodeFully)
  const plain = parts.every((part) => part !== undefined && part !== '.' && part !== '..' && !/[/\\\p{Cc}]/u.test(part))
  return plain && new URL(path, 'https://panel.invalid').pathname.startsWith(home)
}

function decodeFully(part: string): string | undefined {
  let text = part
  for (let round = 0; round < 5; round++) {
    const next = decodeOnce(text)
    if (next === undefined || next === text) return next
    text = next
  }
  return undefined
}

function decodeOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
