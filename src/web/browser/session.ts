const minute = 60_000
const noticeFor = 5 * minute
const renewEvery = 10 * minute

let ends = 0
let renewed = Date.now()
let timer: ReturnType<typeof setTimeout> | undefined

/** Typing keeps the session; an open page does not. Before it ends there is a notice. */
export function session(): void {
  const notice = document.querySelector<HTMLElement>('[data-session]')
  if (!notice) return
  const { left = '', stay = '' } = notice.dataset
  endsIn(notice, Number(left))
  const renew = async (): Promise<void> => {
    renewed = Date.now()
    const token = document.querySelector<HTMLInputElement>('input[name=csrf_token]')?.value ?? ''
    const answer = await fetch(stay, { method: 'POST', body: new URLSearchParams({ csrf_token: token }) }).catch(
      () => undefined,
    )
    if (answer?.ok) endsIn(notice, Number(await answer.text()))
  }
  if (!stay) return
  document.addEventListener('input', () => {
    if (Date.now() - renewed > renewEvery && Date.now() < ends) void renew()
  })
  notice.querySelector('button')?.addEventListener('click', () => void renew())
}

function endsIn(notice: HTMLElement, left: number): void {
  if (!(left > 0)) return
  ends = Date.now() + left
  notice.hidden = left > noticeFor
  clearTimeout(timer)
  if (notice.hidden)
    timer = setTimeout(() => {
      notice.hidden = false
    }, left - noticeFor)
}
