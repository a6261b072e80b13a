import { on } from './enhance.ts'
import { tools } from './fragment.ts'

/** Loads the modules that only some pages need. */
export function later(): void {
  const place = document.querySelector<HTMLElement>('[data-live]')
  if (place) void import('./live.ts').then(({ live }) => live(place, tools))
  if (document.getElementById('done')) forgetDrafts()
  const draft = document.querySelector<HTMLFormElement>('form[data-draft]')
  if (draft) void import('./draft.ts').then(({ keepDraft }) => keepDraft(draft, tools))
  const upload = document.querySelector<HTMLFormElement>('form[data-upload]')
  if (upload) void import('./upload.ts').then(({ uploads }) => uploads(upload, tools))
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-passkey]'))
    void import('./passkey.ts').then(({ passkey }) => passkey(button, tools))
  const starts = document.querySelectorAll<HTMLAnchorElement>('a[data-preset]')
  if (starts.length > 0) void import('./presets.ts').then(({ presets }) => presets(starts))
  const link = document.querySelector<HTMLAnchorElement>('a[data-search]')
  if (link) listen(link)
}

/** Drops drafts that were saved, once: later typing on that page must survive a reload. */
function forgetDrafts(): void {
  if (history.state === 'forgotten') return
  history.replaceState('forgotten', '')
  const saved = `draft ${new URLSearchParams(location.search).get('done')} ${location.origin}${location.pathname}`
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(saved) && '/? '.includes(key.charAt(saved.length))) sessionStorage.removeItem(key)
}

/** Opens on Ctrl-K, Command-K or the link. Once loaded, the box opens before the next key is handled. */
function listen(link: HTMLAnchorElement): void {
  let show: (() => void) | undefined
  const open = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!show) {
      const { searchBox } = await import('./search.ts')
      show ??= searchBox(link, tools)
    }
    show()
  }
  on('click', 'a[data-search]', (_link, event) => open(event))
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) void open(event)
  })
}
