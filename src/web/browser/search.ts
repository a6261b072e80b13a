import type { Tools } from './tools.ts'

const pause = 150

/** Where one searches from everywhere. */
export class Box {
  readonly #tools: Tools
  readonly #address: string
  readonly #dialog = document.createElement('dialog')
  readonly #input = document.createElement('input')
  readonly #hits = document.createElement('div')
  readonly #status = document.createElement('p')
  #timer: ReturnType<typeof setTimeout> | undefined
  #asking: AbortController | undefined

  constructor({ pathname, textContent }: HTMLAnchorElement, tools: Tools) {
    const label = textContent.trim()
    this.#tools = tools
    this.#address = pathname
    this.#dialog.id = 'search'
    this.#dialog.setAttribute('aria-label', label)
    Object.assign(this.#input, { type: 'search', autocomplete: 'off', spellcheck: false })
    this.#input.setAttribute('aria-label', label)
    this.#status.role = 'status'
    this.#dialog.append(this.#input, this.#status, this.#hits)
    this.#input.addEventListener('input', () => this.#later())
    this.#dialog.addEventListener('keydown', (event) => this.#move(event))
    document.body.append(this.#dialog)
  }

  open(): void {
    if (!this.#dialog.open) this.#dialog.showModal()
    this.#input.select()
  }

  #later(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ask(), pause)
  }

  async #ask(): Promise<void> {
    this.#asking?.abort()
    this.#asking = new AbortController()
    const { signal } = this.#asking
    const html = await this.#tools.partOf(
      `${this.#address}?${new URLSearchParams({ q: this.#input.value })}`,
      'hits',
      signal,
    )
    if (html === undefined || signal.aborted) return
    this.#hits.replaceChildren(this.#tools.nodesOf(html))
    this.#status.textContent = this.#hits.querySelector('[data-found]')?.textContent ?? ''
  }

  /** Arrows go from hit to hit; Enter on what is typed takes the first. */
  #move(event: KeyboardEvent): void {
    const links = [...this.#hits.querySelectorAll<HTMLAnchorElement>('a')]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    if (event.key === 'Enter' && at < 0) links[0]?.click()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    ;(links[at + step] ?? (step < 0 ? this.#input : links[0]))?.focus()
  }
}
