import { on, whenShown } from './enhance.ts'

/** What forms do better with a script. */
export function forms(): void {
  whenShown((root) => {
    for (const input of root.querySelectorAll<HTMLInputElement>('input[data-confirm]')) judge(input)
    count()
  })
  on<HTMLInputElement>('input', 'input[data-confirm]', judge)
  on<HTMLInputElement>('input', 'input', typedNumber)
  on<HTMLInputElement>('change', 'input[data-all]', chooseAll)
  on<HTMLInputElement>('change', 'input[type=checkbox]', count)
  document.addEventListener('submit', pressedOnce)
}

/** The button is inert until the name is typed. */
function judge(input: HTMLInputElement): void {
  const button = input.form?.querySelector<HTMLButtonElement>('[data-confirmed]')
  if (button) button.disabled = input.value.trim() !== input.dataset['confirm']
}

/** A number that is typed is a limit again. */
function typedNumber(input: HTMLInputElement): void {
  const none = input.form?.elements.namedItem(`none.${input.name}`)
  if (none instanceof HTMLInputElement && input.value !== '') none.checked = false
}

const rowsOf = (name = ''): HTMLInputElement[] =>
  [...document.querySelectorAll<HTMLInputElement>('input[type=checkbox]')].filter((row) => row.name === name)

function chooseAll(input: HTMLInputElement): void {
  for (const row of rowsOf(input.dataset['all'])) row.checked = input.checked
}

/** How many rows are chosen, always in sight. */
function count(): void {
  for (const output of document.querySelectorAll<HTMLElement>('[data-count]'))
    output.textContent = String(rowsOf(output.dataset['count']).filter(({ checked }) => checked).length)
}

/** The pressed button is inert until the answer, or until one comes back; its own name and value are sent first. */
function pressedOnce(event: SubmitEvent): void {
  const button = event.submitter
  if (!(button instanceof HTMLButtonElement) || button.form?.method !== 'post' || button.matches('[data-file]')) return
  setTimeout(() => {
    if (event.defaultPrevented) return
    button.disabled = true
    addEventListener('pageshow', () => button.removeAttribute('disabled'), { once: true })
  })
}
