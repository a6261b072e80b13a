import { on, whenVisible } from './enhance.ts'

const scripted = '[data-copy], [data-generate], [data-show], [data-all], [data-tabs]'

/** Shows the buttons that need a script. */
export function buttons(): void {
  whenVisible((root) => {
    for (const button of root.querySelectorAll<HTMLElement>(scripted)) button.hidden = false
  })
  on<HTMLButtonElement>('click', '[data-copy]', copy)
  on<HTMLButtonElement>('click', '[data-generate]', generate)
  on<HTMLButtonElement>('click', '[data-show]', show)
}

const inputOf = (id = ''): HTMLInputElement => document.getElementById(id.replace('#', '')) as HTMLInputElement

async function copy(button: HTMLButtonElement): Promise<void> {
  const { value, textContent } = inputOf(button.dataset['copy'])
  await navigator.clipboard.writeText(value ?? textContent.trim())
  const label = button.textContent
  button.textContent = button.dataset['done'] ?? 'Copied'
  setTimeout(() => button.replaceChildren(label), 2000)
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** 24 characters of an alphabet of 64: 144 bits. */
function generate({ dataset }: HTMLButtonElement): void {
  const input = inputOf(dataset['generate'])
  input.value = [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => letters[byte & 63]).join('')
  if (input.type === 'password') document.querySelector<HTMLElement>(`[data-show="${input.id}"]`)?.click()
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Its label says what it does next. */
function show(button: HTMLButtonElement): void {
  const input = inputOf(button.dataset['show'])
  input.type = input.type === 'password' ? 'text' : 'password'
  const label = button.textContent
  button.textContent = button.dataset['other'] ?? label
  button.dataset['other'] = label
}
