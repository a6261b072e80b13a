import { on, whenShown } from './enhance.ts'

/** What forms do better with a script. */
export function forms(): void {
  whenShown((root) => {
    for (const input of root.querySelectorAll<HTMLInputElement>('input[data-confirm]')) judge(input)
    for (const output of root.querySelectorAll<HTMLElement>('[data-count]')) count(output)
  })
  on<HTMLInputElement>('input', 'input[data-confirm]', judge)
  on<HTMLInputElement>('input', 'input', typedNumber)
  on<HTMLInputElement>('change', 'input[data-all]', chooseAll)
  on<HTMLInputElement>('change', 'input[type=checkbox]', ({ name }) => countAll(name))
  document.addEventListener('submit', pressedOnce)
  addEventListener('pageshow', () => {
    for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-pressed]')) release(button)
  })
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

const rowsOf = (name: string): HTMLInputElement[] =>
  [...document.querySelectorAll<HTMLInputElement>('input[type=checkbox]')].filter((row) => row.name === name)

function chooseAll(input: HTMLInputElement): void {
  const name = input.dataset['all'] ?? ''
  for (const row of rowsOf(name)) row.checked = input.checked
  countAll(name)
}

function countAll(name: string): void {
  for (const output of document.querySelectorAll<HTMLElement>('[data-count]'))
    if (output.dataset['count'] === name) count(output)
}

/** How many rows are chosen, always in sight. */
function count(output: HTMLElement): void {
  const chosen = rowsOf(output.dataset['count'] ?? '').filter(({ checked }) => checked).length
  output.textContent = String(chosen)
}

/** The pressed button is inert until the answer; its own name and value are sent first. */
function pressedOnce(event: SubmitEvent): void {
  const button = event.submitter
  if (!(button instanceof HTMLButtonElement) || button.form?.method !== 'post') return
  setTimeout(() => {
    if (event.defaultPrevented) return
    button.disabled = true
    button.dataset['pressed'] = ''
  })
}

function release(button: HTMLButtonElement): void {
  button.disabled = false
  delete button.dataset['pressed']
}
