import type { Tools } from './fragment.ts'

const partSize = 8 * 1024 * 1024
const MAX_CONCURRENT_UPLOADS = 3
const MAX_ATTEMPTS = 8

type Asks = () => Promise<boolean>
type Upload = Record<'id' | 'name', string> & Record<'size' | 'offset', number>

/** Uploads chosen or dropped files into the page's directory, in parts; or the one that the form then names. */
export function uploads(form: HTMLFormElement, { make }: Tools): void {
  const input = form.querySelector<HTMLInputElement>('input[type=file]')!
  const list = form.appendChild(make('ul'))
  const button = form.querySelector<HTMLButtonElement>('[type=submit]')
  const waiting: File[] = []
  let [running, failed] = [0, false]
  const next = async (file: File): Promise<void> => {
    running++
    if (button) button.disabled = true
    const bar = make('progress', { max: file.size || 1, value: 0, ariaLabel: file.name })
    const status = make('span', { role: 'status' })
    list.appendChild(make('li')).append(make('bdi', { textContent: file.name }), ' ', bar, ' ', status)
    try {
      await send(form, file, bar, () => isReplaced(form, status, make))
      bar.remove()
      status.textContent = form.dataset['done']!
    } catch (error) {
      ;[failed, input.value] = [true, '']
      status.textContent = (error as Error).message
    }
    running--
    const other = waiting.shift()
    if (other) return next(other)
    if (button && running === 0) button.disabled = false
    if (running === 0 && !failed && form.dataset['next']) location.assign(form.dataset['next'])
  }
  const take = (event: Event, files: FileList | null | undefined): void => {
    event.preventDefault()
    form.classList.remove('over')
    waiting.push(...(files ?? []))
    if (files && !input.multiple) input.files = files
    else input.value = ''
    for (const file of waiting.splice(0, MAX_CONCURRENT_UPLOADS - running)) void next(file)
  }
  Object.assign(input, { name: '', multiple: 'next' in form.dataset }) // Its file is not sent again with the form.
  for (const field of form.querySelectorAll<HTMLElement>('[data-typed]')) field.hidden = !field.hidden
  input.addEventListener('change', (event) => take(event, input.files))
  const mark = (event: DragEvent): void => {
    event.preventDefault()
    form.classList.toggle('over', event.type === 'dragover' || event.relatedTarget !== null)
  }
  document.addEventListener('dragover', mark)
  document.addEventListener('dragleave', mark)
  document.addEventListener('drop', (event) => take(event, event.dataTransfer?.files))
}

/** Resumes an upload that an earlier page began with the same file, for the same directory. */
async function begun(form: HTMLFormElement, { name, size, lastModified }: File): Promise<Upload> {
  const path = `${form.dataset['folder']}${name}`.slice(-200)
  const own = { size, name: `${path} of ${new Date(lastModified).toISOString()}` }
  const { items } = await ask(form, 'GET', '')
  return items.find((one) => one.name === own.name && one.size === size) ?? ask(form, 'POST', '', JSON.stringify(own))
}

/** Asks whether to replace the file of that name. */
function isReplaced({ dataset }: HTMLFormElement, status: HTMLElement, make: Tools['make']): Promise<boolean> {
  return new Promise((resolve) => {
    const button = (textContent: string, isYes: boolean) =>
      make('button', { type: 'button', textContent, onclick: () => resolve(isYes) })
    const buttons = [button(dataset['replace']!, true), ' ', button(dataset['skip']!, false)]
    status.replaceChildren(dataset['question']!, ' ', ...buttons)
  })
}

/** After an interruption, the server says how much it has received. */
async function send(form: HTMLFormElement, file: File, bar: HTMLProgressElement, asks: Asks): Promise<void> {
  const { folder, lost } = form.dataset
  const { id, offset: start } = await begun(form, file)
  for (let [at, tries] = [start, 0]; at < file.size; bar.value = at) {
    const part = file.slice(at, at + partSize)
    const { offset } = await ask(form, 'PATCH', `/${id}?offset=${at}`, part).catch(async (error: Error) => {
      if (isFinal(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, 1000 * tries))
      return ask(form, 'GET', `/${id}`).catch(() => ({ offset: at }))
    })
    tries = offset > at ? 0 : tries + 1
    if (tries > MAX_ATTEMPTS) throw new Error(lost)
    at = offset
  }
  const field = form.querySelector<HTMLInputElement>('[name=upload_id]')
  if (field) return void Object.assign(field, { value: id })
  const path = folder + file.name
  const save = (overwrite: boolean) => ask(form, 'POST', `/${id}/save`, JSON.stringify({ path, overwrite }))
  const refused = async (error: Error) =>
    error.name === 'exists' && (await asks()) ? save(true) : Promise.reject(error)
  const saved = save(false).catch(refused)
  await saved.catch(() => ask(form, 'DELETE', `/${id}`)).catch(() => undefined)
  await saved
}

/** Retrying only helps after a broken connection, an offset conflict or a busy server. */
const isFinal = ({ cause }: Error): boolean =>
  typeof cause === 'number' && cause < 500 && ![408, 409, 429].includes(cause)

async function ask(form: HTMLFormElement, method: string, path: string, body?: string | Blob) {
  const type = body instanceof Blob ? 'application/octet-stream' : 'application/json'
  const headers = { 'X-CSRF-Token': tokenIn(form), 'Content-Type': type }
  const answer = await fetch(form.dataset['upload'] + path, { method, headers, body: body ?? null })
  const reply = await answer.json().catch(() => ({}))
  const error = new Error(reply.detail ?? reply.title ?? answer.status, { cause: answer.status })
  if (!answer.ok) throw Object.assign(error, { name: String(reply.type).split('/').at(-1) })
  return reply as Upload & { items: Upload[] }
}

/** The session's token, unmasked. */
function tokenIn(form: HTMLFormElement): string {
  const masked = form.querySelector<HTMLInputElement>('[name=csrf_token]')!.value
  const [pad = '', text = ''] = masked.replaceAll('-', '+').replaceAll('_', '/').split('.').map(atob)
  return [...text].map((one, at) => String.fromCharCode(one.charCodeAt(0) ^ pad.charCodeAt(at))).join('')
}
