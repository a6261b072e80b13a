import type { Tools } from './fragment.ts'

const partSize = 8 * 1024 * 1024
const MAX_CONCURRENT_UPLOADS = 3
const MAX_ATTEMPTS = 8

type Upload = Record<'id' | 'name', string> & Record<'size' | 'offset', number>

/** Uploads chosen or dropped files into the page's directory, in parts, several files at a time. */
export function uploads(form: HTMLFormElement, { make }: Tools): void {
  const input = form.querySelector<HTMLInputElement>('input[type=file]')!
  const list = form.appendChild(make('ul'))
  const waiting: File[] = []
  let [running, failed] = [0, false]
  const next = async (): Promise<void> => {
    const file = waiting.shift()
    if (!file) return
    running++
    const bar = make('progress', { max: file.size || 1, value: 0, ariaLabel: file.name })
    const status = make('span', { role: 'status' })
    list.appendChild(make('li')).append(make('bdi', { textContent: file.name }), ' ', bar, ' ', status)
    try {
      await send(form, file, bar)
      status.textContent = form.dataset['done']!
    } catch (error) {
      failed = true
      status.textContent = (error as Error).message
    }
    running--
    if (waiting.length > 0) return next()
    if (running === 0 && !failed) location.assign(form.dataset['next']!)
  }
  const take = (event: Event, files: FileList | null | undefined): void => {
    event.preventDefault()
    form.closest('details')!.open = true
    waiting.push(...(files ?? []))
    input.value = ''
    while (running < MAX_CONCURRENT_UPLOADS && waiting.length > 0) void next()
  }
  input.multiple = true
  for (const field of form.querySelectorAll<HTMLElement>('[data-typed]')) field.hidden = !field.hidden
  form.addEventListener('submit', (event) => take(event, input.files))
  document.addEventListener('dragover', (event) => event.preventDefault())
  document.addEventListener('drop', (event) => take(event, event.dataTransfer?.files))
}

/** Resumes an upload that an earlier page began with the same file, for the same directory. */
async function begun(form: HTMLFormElement, { name, size, lastModified }: File): Promise<Upload> {
  const path = `${form.dataset['folder']}${name}`.slice(-200)
  const own = { size, name: `${path} of ${new Date(lastModified).toISOString()}` }
  const { items } = await ask(form, 'GET', '')
  return items.find((one) => one.name === own.name && one.size === size) ?? ask(form, 'POST', '', JSON.stringify(own))
}

/** After an interruption, the server says how much it has received. */
async function send(form: HTMLFormElement, file: File, bar: HTMLProgressElement): Promise<void> {
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
  const overwrite = form.querySelector<HTMLInputElement>('[name=overwrite]')!.checked
  const saved = ask(form, 'POST', `/${id}/save`, JSON.stringify({ path: folder + file.name, overwrite }))
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
  if (!answer.ok) throw new Error(reply.detail ?? reply.title ?? answer.status, { cause: answer.status })
  return reply as Upload & { items: Upload[] }
}

/** The session's token, unmasked. */
function tokenIn(form: HTMLFormElement): string {
  const masked = form.querySelector<HTMLInputElement>('[name=csrf_token]')!.value
  const [pad = '', text = ''] = masked.replaceAll('-', '+').replaceAll('_', '/').split('.').map(atob)
  return [...text].map((one, at) => String.fromCharCode(one.charCodeAt(0) ^ pad.charCodeAt(at))).join('')
}
