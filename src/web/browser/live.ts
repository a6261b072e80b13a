import type { Tools } from './fragment.ts'

const MAX_LINES = 2000
const MAX_BATCH_LINES = 200
const pollEvery = 5000

interface News {
  parts?: string
  lines?: string
  after?: string
  goesOn?: boolean
}

/** One stream per page, closed while the page is hidden, and resumed after the last event. */
export function live({ dataset }: HTMLElement, tools: Tools): void {
  const add = log(tools)
  let after = dataset['after'] ?? ''
  let [isOpen, isOver] = [false, false]
  let close = (): void => undefined

  const at = (address: string): string => {
    const url = new URL(address, location.href)
    if (after !== '') url.searchParams.set('after', after)
    return url.href
  }
  const end = (): void => {
    isOver = true
    close()
    // What the page shows is from before its job ended.
    if ('stale' in dataset) void tools.partOf(location.href, 'content').then((html) => html && tools.replace(html))
  }
  const open = (): void => {
    const stream = new EventSource(at(dataset['live'] ?? ''))
    for (const [type, act] of Object.entries({ part: tools.replace, line: add, end }))
      stream.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) => {
        after = lastEventId || after
        act(data)
      })
    stream.addEventListener('error', () => stream.readyState === EventSource.CLOSED && later())
    close = () => stream.close()
  }
  /** If no stream is available, polls for changes. */
  const later = (): void => {
    close()
    const timer = setTimeout(poll, pollEvery)
    close = () => clearTimeout(timer)
  }
  const poll = async (): Promise<void> => {
    const text = await tools.partOf(at(location.href), 'live')
    if (!isOpen) return
    const news = JSON.parse(text ?? '{}') as News
    if (news.parts) tools.replace(news.parts)
    if (news.lines) add(news.lines)
    after = news.after ?? after
    return news.goesOn === false ? end() : later()
  }
  const look = (): void => {
    if (isOpen !== document.hidden || isOver) return
    isOpen = !document.hidden
    if (isOpen) open()
    else close()
  }
  document.addEventListener('visibilitychange', look)
  look()
}

/** Appends lines to the page's log: a few per frame, so that typing stays responsive, up to a maximum in total. */
function log({ nodesOf, enhance }: Tools): (html: string) => void {
  const list = document.querySelector('[data-lines]')
  const box = list?.parentElement
  if (!box) return () => undefined
  const follow = document.querySelector<HTMLInputElement>('[data-follow]')
  const scroll = (): void => {
    if (follow?.checked) box.scrollTop = box.scrollHeight
  }
  /** Scrolling up stops following. */
  const heed = (): void => {
    if (follow) follow.checked = box.scrollHeight - box.scrollTop - box.clientHeight < 40
  }
  for (const type of ['wheel', 'touchmove', 'keyup']) box.addEventListener(type, heed)
  follow?.addEventListener('change', scroll)
  follow?.closest('[hidden]')?.removeAttribute('hidden')
  scroll()
  const came = new DocumentFragment()
  const show = (): void => {
    list.append(...[...came.children].slice(0, MAX_BATCH_LINES))
    enhance(list)
    trim(list)
    scroll()
    if (came.hasChildNodes()) requestAnimationFrame(show)
  }
  return (html) => {
    if (!came.hasChildNodes()) requestAnimationFrame(show)
    came.append(nodesOf(html))
    trim(came)
  }
}

function trim(lines: ParentNode): void {
  for (let over = lines.childElementCount - MAX_LINES; over > 0; over--) lines.firstElementChild!.remove()
}
