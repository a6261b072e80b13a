const noticeFor = 5 * 60_000
const renewEvery = 10 * 60_000

/** Typing extends the session, an open page does not. A notice appears before it ends. */
export function session(): void {
  const notice = document.querySelector<HTMLElement>('[data-session]')
  if (!notice) return
  const { left, stay = '' } = notice.dataset
  const button = notice.querySelector('button')
  // Other pages of the same panel share the session.
  const others = new BroadcastChannel(stay)
  let [ends, renewed] = [0, Date.now()]
  let timer: ReturnType<typeof setTimeout> | undefined
  const endsAt = (end: number): void => {
    if (!(end > ends)) return
    ends = end
    const before = end - Date.now() - noticeFor
    clearTimeout(timer)
    notice.hidden = before > 0
    if (before > 0) timer = setTimeout(() => notice.removeAttribute('hidden'), before)
  }
  const lasts = (ms: number): void => {
    endsAt(Date.now() + ms)
    others.postMessage(ends)
  }
  const renew = async (): Promise<void> => {
    renewed = Date.now()
    const token = document.querySelector<HTMLInputElement>('[name=csrf_token]')?.value ?? ''
    const body = new URLSearchParams({ csrf_token: token })
    const answer = await fetch(stay, { method: 'POST', body }).catch(() => undefined)
    if (!answer?.ok || answer.redirected) return
    const now = Number(await answer.text())
    // The maximum session lifetime is reached: nothing can extend it.
    if (now <= noticeFor) button?.remove()
    lasts(now)
  }
  others.addEventListener('message', ({ data }) => endsAt(Number(data)))
  document.addEventListener('input', () => {
    if (Date.now() - renewed > renewEvery && Date.now() < ends) void renew()
  })
  button?.addEventListener('click', () => void renew())
  lasts(Number(left))
}
