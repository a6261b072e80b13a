import type { Tools } from './fragment.ts'

type Options = PublicKeyCredentialCreationOptionsJSON & PublicKeyCredentialRequestOptionsJSON

/** Shows a button that asks for a passkey, puts the answer into a field of its form and submits it. */
export function passkey(button: HTMLButtonElement, { make }: Tools): void {
  // Older browsers have none, and no browser has any without a certificate that it trusts.
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) return
  const form = button.form!
  const { passkey: field = '', options, start, failed, known } = button.dataset
  const alert = make('p', { className: 'error', role: 'alert' })
  button.after(alert)
  button.hidden = false
  form.hidden = false
  button.addEventListener('click', async () => {
    button.disabled = true
    alert.textContent = ''
    try {
      const credential = await ask(options ? JSON.parse(options) : await optionsAt(start!, form))
      form.querySelector<HTMLInputElement>(`input[name="${field}"]`)!.value = JSON.stringify(credential)
      form.submit()
    } catch (error) {
      alert.textContent = ((error as Error).name === 'InvalidStateError' ? known : failed)!
      button.disabled = false
    }
  })
}

const ask = (options: Options): Promise<Credential | null> =>
  options.rp
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })

async function optionsAt(start: string, form: HTMLFormElement): Promise<Options> {
  const token = form.querySelector<HTMLInputElement>('[name=csrf_token]')?.value ?? ''
  const answer = await fetch(start, { method: 'POST', body: new URLSearchParams({ csrf_token: token }) })
  if (!answer.ok) throw new Error(String(answer.status))
  return answer.json()
}
