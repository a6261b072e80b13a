import type { Child } from 'hono/jsx'
import { refuseCrossSite } from '../http/csrf.ts'
import { t } from '../kit/i18n/i18n.ts'
import { branded } from '../pages/frame/branded.tsx'
import type { C, Screens } from '../panel-request.ts'
import { Plain, Step } from './forms.tsx'
import { sentence, statusOf } from './sentence.ts'

const Confirm = ({ server, token, error }: { server: string; token: string; error?: string }) => (
  <Step
    server={server}
    error={error}
    title="Alerts by mail"
    lead="This server was asked to send its alerts to your address."
    action="/confirm-channel"
    send="Allow it"
  >
    <input type="hidden" name="token" value={token} />
  </Step>
)

const Confirmed = ({ server }: { server: string }) => (
  <Plain title="Address confirmed" server={server} centred>
    <p>{t('Alerts are sent to it from now on.')}</p>
  </Plain>
)

/** The page of the link that confirms an alert channel: a button, as programs that scan mail open links. */
export class ConfirmPages {
  readonly #screens: Screens
  constructor(screens: Screens) {
    this.#screens = screens
  }

  form(c: C): Promise<Response> {
    return this.#html(c, <Confirm server={this.#screens.server} token={c.req.query('token') ?? ''} />)
  }

  async confirm(c: C): Promise<Response> {
    refuseCrossSite(c)
    const { server } = this.#screens
    const token = (await this.#screens.form(c, 'user')).get('token') ?? ''
    try {
      await this.#screens.perform(c, 'confirmAlertChannel', { body: { token } })
      return this.#html(c, <Confirmed server={server} />)
    } catch (error) {
      return this.#html(c, <Confirm server={server} token={token} error={sentence(error)} />, statusOf(error))
    }
  }

  #html(c: C, node: Child, status?: number): Promise<Response> {
    return branded(this.#screens, c, node, status)
  }
}
