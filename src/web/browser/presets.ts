type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** A preset's link opens the form with its values: what was typed into the form's other fields goes along. */
export function presets(links: Iterable<HTMLAnchorElement>): void {
  const earlier = new Set(new URLSearchParams(location.search).keys())
  for (const link of links) {
    const { href } = link
    if (link.ariaCurrent) for (const name of new URL(href).searchParams.keys()) earlier.delete(name)
    link.addEventListener('click', () => link.setAttribute('href', withTyped(href, link.dataset['preset']!, earlier)))
  }
}

/** Longer addresses may be refused on the way. */
const MAX_ADDRESS_LENGTH = 4000

function withTyped(href: string, op: string, earlier: ReadonlySet<string>): string {
  const url = new URL(href)
  const own = new Set(url.searchParams.keys())
  const form = document.querySelector<HTMLFormElement>(`form#form-${op}`)
  for (const control of form?.querySelectorAll<Control>('input[name], textarea[name], select[name]') ?? [])
    if (!own.has(control.name) && isOpen(control) && (isTyped(control) || isFilled(control, earlier)))
      url.searchParams.append(control.name, control.value)
  return url.href.length > MAX_ADDRESS_LENGTH ? href : url.href
}

/** Secrets stay out of addresses, also while they are shown. */
const isOpen = ({ type, autocomplete, dataset }: Control): boolean =>
  !['hidden', 'password', 'file'].includes(type) &&
  !autocomplete.endsWith('password') &&
  dataset['secret'] === undefined

const isBox = ({ type }: Control): boolean => type === 'checkbox' || type === 'radio'

/** What differs from the page as it came. */
function isTyped(control: Control): boolean {
  if (control instanceof HTMLSelectElement) return !control.selectedOptions[0]?.defaultSelected
  if (!isBox(control)) return control.value !== control.defaultValue
  return (control as HTMLInputElement).checked && !(control as HTMLInputElement).defaultChecked
}

/** What was typed before another preset was chosen. */
const isFilled = (control: Control, earlier: ReadonlySet<string>): boolean =>
  earlier.has(control.name) && (isBox(control) ? (control as HTMLInputElement).checked : control.value !== '')
