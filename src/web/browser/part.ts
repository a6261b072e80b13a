import { enhance } from './enhance.ts'
import { nodesOf } from './html.ts'

/** Part of a page, as the server writes it; nothing where it refuses. */
export async function partOf(address: string, name: string, signal?: AbortSignal): Promise<string | undefined> {
  const answer = await fetch(address, { headers: { 'X-Part': name }, ...(signal && { signal }) }).catch(() => undefined)
  return answer?.ok && !answer.redirected ? answer.text() : undefined
}

/** Puts elements in the place of those that have their ids. */
export function replace(html: string): void {
  for (const fresh of [...nodesOf(html).children]) {
    const old = fresh.id && document.getElementById(fresh.id)
    if (!old || old.contains(document.activeElement)) continue
    old.replaceWith(fresh)
    enhance(fresh)
  }
}
