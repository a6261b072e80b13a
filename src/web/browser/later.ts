import { on } from './enhance.ts'
import { tools } from './tools.ts'

/** What few pages need is loaded there. */
export function later(): void {
  const place = document.querySelector<HTMLElement>('[data-live]')
  if (place) void import('./live.ts').then(({ live }) => live(place, tools))
  const link = document.querySelector<HTMLAnchorElement>('a[data-search]')
  if (link) listen(link)
}

/** Ctrl-K, Command-K, or the link. */
function listen(link: HTMLAnchorElement): void {
  let box: { open(): void } | undefined
  const open = async (event: Event): Promise<void> => {
    event.preventDefault()
    const { Box } = await import('./search.ts')
    box ??= new Box(link, tools)
    box.open()
  }
  on('click', 'a[data-search]', (_link, event) => open(event))
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) void open(event)
  })
}
