import type { Tools } from './fragment.ts'

/** The global search box; returns the function that opens it. */
export function searchBox({ pathname, search, textContent }: HTMLAnchorElement, tools: Tools): () => void {
  const ariaLabel = textContent.replace('⌘K', '').trim()
  const dialog = tools.make('dialog', { id: 'search', ariaLabel })
  // In a field of type `search`, Escape would clear the field and leave the box open.
  const input = tools.make('input', { role: 'searchbox', autocomplete: 'off', spellcheck: false, ariaLabel })
  input.placeholder = ariaLabel
  const status = tools.make('p', { role: 'status', className: 'visually-hidden' })
  const hits = tools.make('div')
  const address = (): string =>
    `${pathname}?${new URLSearchParams([...new URLSearchParams(search), ['q', input.value]])}`
  const ask = tools.asker('hits', (html, source) => {
    hits.replaceChildren(tools.nodesOf(html))
    if (source !== address()) drop(hits, input.value.toLowerCase())
    status.textContent = hits.querySelector('[data-found]')?.textContent ?? ''
  })
  const later = tools.afterPause(150, () => ask(address()))
  input.addEventListener('input', () => {
    drop(hits, input.value.toLowerCase())
    later()
  })
  dialog.addEventListener('keydown', (event) => move(event, input, [...hits.querySelectorAll('a')]))
  dialog.append(input, status, hits)
  document.body.append(dialog)
  return () => {
    if (!dialog.open) dialog.showModal()
    if (hits.childElementCount === 0) void ask(address())
    input.select()
  }
}

/** Enter never opens what a longer text no longer matches. */
function drop(hits: HTMLElement, text: string): void {
  for (const link of hits.querySelectorAll('a')) if (!link.textContent.toLowerCase().includes(text)) link.remove()
}

/** Arrows move between hits; Enter in the field opens the first. */
function move(event: KeyboardEvent, input: HTMLInputElement, links: HTMLAnchorElement[]): void {
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  if (event.key === 'Enter' && at < 0) links[0]?.click()
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  ;(links[at + step] ?? (step < 0 ? input : links[0]))?.focus()
}
