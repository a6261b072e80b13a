import type { Tools } from './tools.ts'

const mostLines = 2000
const pollEvery = 5000

/** One stream a page, closed while the page is hidden, gone on with after what came last. */
export function live(place: HTMLElement, tools: Tools): void {
  const stream = new Stream(place, tools)
  document.addEventListener('visibilitychange', () => stream.setOpen(!document.hidden))
  addEventListener('pagehide', () => stream.setOpen(false))
  addEventListener('pageshow', () => stream.setOpen(!document.hidden))
  stream.setOpen(!document.hidden)
}

class Stream {
  readonly #tools: Tools
  readonly #address: string
  #after: string
  #source: EventSource | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #lines: string[] = []
  #ended = false

  constructor({ dataset }: HTMLElement, tools: Tools) {
    this.#tools = tools
    this.#address = dataset['live'] ?? ''
    this.#after = dataset['after'] ?? ''
  }

  setOpen(wanted: boolean): void {
    clearTimeout(this.#timer)
    if (!wanted) this.#close()
    else if (!this.#source && !this.#ended) this.#open()
  }

  #close(): void {
    this.#source?.close()
    this.#source = undefined
  }

  #open(): void {
    const address = new URL(this.#address, location.href)
    if (this.#after !== '') address.searchParams.set('after', this.#after)
    const source = new EventSource(address)
    this.#source = source
    const hear = (type: string, act: (data: string) => void): void =>
      source.addEventListener(type, (event) => {
        if (event.lastEventId) this.#after = event.lastEventId
        act(event.data)
      })
    hear('part', this.#tools.replace)
    hear('line', (html) => this.#add(html))
    hear('end', () => this.#end())
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) this.#poll()
    })
  }

  #end(): void {
    this.#ended = true
    this.#close()
  }

  /** Where there is no room for a stream, the parts are read every so often. */
  #poll(): void {
    this.#close()
    this.#timer = setTimeout(async () => {
      const html = await this.#tools.partOf(location.href, 'live')
      if (html !== undefined) this.#tools.replace(html)
      this.#poll()
    }, pollEvery)
  }

  /** As many lines at once as came since the last frame. */
  #add(html: string): void {
    if (this.#lines.push(html) === 1) requestAnimationFrame(() => append(this.#lines.splice(0), this.#tools))
  }
}

function append(lines: readonly string[], { nodesOf, enhance }: Tools): void {
  const list = document.querySelector('[data-lines]')
  if (!list) return
  const follows = list.scrollHeight - list.scrollTop - list.clientHeight < 40
  const nodes = nodesOf(lines.slice(-mostLines).join(''))
  for (const line of [...nodes.children]) enhance(line)
  list.append(nodes)
  while (list.childElementCount > mostLines) list.firstElementChild?.remove()
  if (follows) list.scrollTop = list.scrollHeight
}
