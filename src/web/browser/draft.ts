import type { Tools } from './fragment.ts'

/** The typed text, and the version it was based on. */
type Draft = Record<'text' | 'version', string>

/** Keeps a long text in this tab until it is saved: the session may end first. */
export function keepDraft(form: HTMLFormElement, { afterPause }: Tools): void {
  const area = form.querySelector('textarea')!
  const version = form.querySelector<HTMLInputElement>('[name=_etag], [name=serial]')!
  const op = form.querySelector<HTMLInputElement>('[name=do]')!.value
  const notice = form.querySelector<HTMLElement>('[data-drafted]')!
  const key = `draft ${op} ${form.action} ${notice.dataset['drafted']}`
  const now = (): Draft => ({ version: version.value, text: area.value })
  const lines = area.previousElementSibling!
  const number = (): void => lines.replaceChildren(Array.from(area.value.split('\n'), (_, at) => at + 1).join('\n'))
  const show = (draft: Draft): void => {
    ;[version.value, area.value] = [draft.version, draft.text]
    number()
  }
  const keep = (): void => {
    try {
      sessionStorage.setItem(key, JSON.stringify(now()))
    } catch {
      // The storage quota may be exhausted.
      sessionStorage.removeItem(key)
    }
  }
  number()
  const came = now()
  const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Draft | null
  if (form.dataset['draft'] === 'typed') keep()
  else if (!stored || stored.text === came.text) sessionStorage.removeItem(key)
  else {
    show(stored)
    notice.hidden = false
    notice.querySelector('button')!.addEventListener('click', () => {
      show(came)
      sessionStorage.removeItem(key)
      notice.hidden = true
    })
  }
  area.addEventListener('input', number)
  area.addEventListener('scroll', () => (lines.scrollTop = area.scrollTop))
  area.addEventListener('input', afterPause(500, keep))
  form.addEventListener('submit', keep)
  area.addEventListener('keydown', (event) => {
    if (event.key !== 'Tab' || event.shiftKey || !form.querySelector('[data-tabs] :checked')) return
    event.preventDefault()
    area.setRangeText('\t', area.selectionStart, area.selectionEnd, 'end')
    area.dispatchEvent(new Event('input', { bubbles: true }))
  })
}
