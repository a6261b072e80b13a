import { afterPause, enhance } from './enhance.ts'
import { make, nodesOf } from './html.ts'

/** Proxies and servers may refuse longer addresses. */
const MAX_URL_LENGTH = 6000

/** Part of a page, as the server renders it; undefined if refused. */
export async function partOf(address: string, name: string, signal?: AbortSignal): Promise<string | undefined> {
  if (address.length > MAX_URL_LENGTH) return undefined
  const answer = await fetch(address, { headers: { 'X-Part': name }, ...(signal && { signal }) }).catch(() => undefined)
  return answer?.ok && !answer.redirected ? answer.text() : undefined
}

/** Fetches a part; only the latest request's response is shown. */
export function asker(name: string, show: (html: string, address: string) => void): (address: string) => Promise<void> {
  let asking: AbortController | undefined
  return async (address) => {
    asking?.abort()
    asking = new AbortController()
    const { signal } = asking
    const html = await partOf(address, name, signal)
    if (html !== undefined && !signal.aborted) show(html, address)
  }
}

/** Parts that arrived while the focus was inside the elements they replace. */
const waiting = new Map<Element, Element>()

/** Replaces elements by id, but not while they contain the focus. */
export function replace(html: string): void {
  for (const fresh of [...nodesOf(html).children]) {
    const old = fresh.id && document.getElementById(fresh.id)
    if (!old) continue
    if (waiting.has(old)) waiting.set(old, fresh)
    else if (isFilledIn(old)) replaceUntouched(old, fresh)
    else if (old.contains(document.activeElement)) wait(old, fresh)
    else put(old, fresh)
  }
}

/** Whether someone has typed there. */
const isFilledIn = (root: Element): boolean =>
  [...root.querySelectorAll<HTMLInputElement>('input:not([type=hidden]), textarea')].some(
    ({ type, value, defaultValue, checked, defaultChecked }) =>
      type === 'checkbox' || type === 'radio' ? checked !== defaultChecked : value !== defaultValue,
  )

/** Keeps what was typed: replaces the children without any, if they are still the same ones. */
function replaceUntouched(old: Element, fresh: Element): void {
  const [before, after] = [[...old.children], [...fresh.children]]
  if (before.length !== after.length) return
  for (const [place, child] of before.entries())
    if (!isFilledIn(child) && !child.contains(document.activeElement)) put(child, after[place]!)
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

/** Passed to modules loaded later: only one Trusted Types policy may exist. */
export const tools = { afterPause, asker, enhance, make, nodesOf, partOf, replace }
export type Tools = typeof tools
