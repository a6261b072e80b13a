import { afterPause, on } from './enhance.ts'
import { asker, replace } from './fragment.ts'

/** Never put these in an address: addresses are kept in histories and logs. */
const secret = '[name=csrf_token], [type=password], [autocomplete$=password], [data-secret]'

/** Shows the command that saving would run, with what has been typed so far. */
export function say(): void {
  const ask = asker('say', replace)
  const later = afterPause(300, (form: HTMLFormElement) => void ask(`${location.pathname}?${typedIn(form)}`))
  on('input', 'form[data-say]', later)
}

function typedIn(form: HTMLFormElement): URLSearchParams {
  const typed = new FormData(form)
  for (const field of form.elements)
    if (field.matches(`${secret}, [type=file]`)) typed.delete((field as HTMLInputElement).name)
  return new URLSearchParams([...typed] as [string, string][])
}
