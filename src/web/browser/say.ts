import { on } from './enhance.ts'
import { partOf, replace } from './part.ts'

const pause = 300
/** Longer addresses are refused on the way. */
const longest = 6000

let timer: ReturnType<typeof setTimeout> | undefined
let asking: AbortController | undefined

/** Shows the command that saving would run, with what has been typed so far. */
export function say(): void {
  on<HTMLFormElement>('input', 'form[data-say]', (form) => {
    clearTimeout(timer)
    timer = setTimeout(() => ask(form), pause)
  })
}

async function ask(form: HTMLFormElement): Promise<void> {
  asking?.abort()
  asking = new AbortController()
  const address = `${location.pathname}?${typedIn(form)}`
  const html = address.length > longest ? undefined : await partOf(address, 'say', asking.signal)
  if (html !== undefined) replace(html)
}

/** Never a secret: addresses are kept in histories and logs. */
function typedIn(form: HTMLFormElement): URLSearchParams {
  const typed = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    if (typeof value !== 'string' || name === 'csrf_token' || isSecret(form, name)) continue
    typed.append(name, value)
  }
  return typed
}

const isSecret = (form: HTMLFormElement, name: string): boolean =>
  [...form.elements].some(
    (one) =>
      (one as HTMLInputElement).name === name &&
      one.matches('[type=password], [autocomplete$=password], [data-secret]'),
  )
