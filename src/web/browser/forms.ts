import { on, whenVisible } from './enhance.ts'

/** Script enhancements for forms. */
export function forms(): void {
  whenVisible((root) => {
    for (const input of root.querySelectorAll<HTMLInputElement>('input[data-confirm]')) validate(input)
    count()
  })
  on<HTMLInputElement>('input', 'input[data-confirm]', validate)
  on<HTMLInputElement>('input', 'input', typedNumber)
  on<HTMLInputElement>('change', 'input[data-all]', chooseAll)
  on<HTMLInputElement>('change', 'input[type=checkbox]', count)
  document.addEventListener('submit', pressedOnce)
}

/** Disables the button until the name is typed. */
function validate(input: HTMLInputElement): void {
  const button = input.form?.querySelector<HTMLButtonElement>('[data-confirmed]')
  if (button) button.disabled = input.value.trim() !== input.dataset['confirm']
}

/** Typing a number unticks "unlimited". */
function typedNumber(input: HTMLInputElement): void {
  const none = input.form?.elements.namedItem(`none.${input.name}`)
  if (none instanceof HTMLInputElement && input.value !== '') none.checked = false
}

const rowsOf = (name = ''): HTMLInputElement[] =>
  [...document.querySelectorAll<HTMLInputElement>('input[type=checkbox]')].filter((row) => row.name === name)

function chooseAll(input: HTMLInputElement): void {
  for (const row of rowsOf(input.dataset['all'])) row.checked = input.checked
}

/** The number of selected rows, always visible. */
function count(): void {
  for (const output of document.querySelectorAll<HTMLElement>('[data-count]'))
    output.textContent = String(rowsOf(output.dataset['count']).filter(({ checked }) => checked).length)
}

/** Disables the pressed button until the response, or until Back; its name and value are sent first. */
function pressedOnce(event: SubmitEvent): void {
  const button = event.submitter
  if (!(button instanceof HTMLButtonElement) || button.form?.method !== 'post' || button.matches('[data-file]')) return
  setTimeout(() => {
    if (event.defaultPrevented) return
    button.disabled = true
    addEventListener('pageshow', () => button.removeAttribute('disabled'), { once: true })
  })
}
