import { afterPause, enhance } from './enhance.ts'
import { make, nodesOf } from './html.ts'

/** Longer addresses are refused on the way. */
const longest = 6000

/** Part of a page, as the server writes it; nothing where it refuses. */
export async function partOf(address: string, name: string, signal?: AbortSignal): Promise<string | undefined> {
  if (address.length > longest) return undefined
  const answer = await fetch(address, { headers: { 'X-Part': name }, ...(signal && { signal }) }).catch(() => undefined)
  return answer?.ok && !answer.redirected ? answer.text() : undefined
}

/** Asks for a part; only the answer to the last question is shown. */
export function asker(name: string, show: (html: string) => void): (address: string) => Promise<void> {
  let asking: AbortController | undefined
  return async (address) => {
    asking?.abort()
    asking = new AbortController()
    const { signal } = asking
    const html = await partOf(address, name, signal)
    if (html !== undefined && !signal.aborted) show(html)
  }
}

/** Parts that came while the focus was in those that stand there. */
const waiting = new Map<Element, Element>()

/** Puts elements in the place of those that have their ids; not before the focus has left those. */
export function replace(html: string): void {
  for (const fresh of [...nodesOf(html).children]) {
    const old = fresh.id && document.getElementById(fresh.id)
    if (!old) continue
    if (waiting.has(old)) waiting.set(old, fresh)
    else if (old.contains(document.activeElement)) wait(old, fresh)
    else put(old, fresh)
  }
}

function put(old: Element, fresh: Element): void {
  old.replaceWith(fresh)
  enhance(fresh)
}

function wait(old: Element, fresh: Element): void {
  waiting.set(old, fresh)
  old.addEventListener('focusout', ({ relatedTarget }: FocusEventInit) => {
    if (!old.contains(relatedTarget as Node | null)) put(old, waiting.get(old)!)
  })
}

/** What modules that come later are given: one policy is all there may be. */
export const tools = { afterPause, asker, enhance, make, nodesOf, partOf, replace }
export type Tools = typeof tools
