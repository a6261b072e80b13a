import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { CopyButton, LinkButton } from '../kit/components/button.tsx'
import { outsideLink } from '../kit/format/href.ts'
import { t } from '../kit/i18n/i18n.ts'
import { headOf } from '../kit/i18n/label.ts'
import type { Answered } from '../kit/screen.ts'

interface Secret {
  readonly name: string
  readonly text: string
}

const oneTimeFields =
  /^(secret|join_line|recovery_codes|encryption_password|admin_password|private_key|url|configuration)$/

/** The secrets that an answer shows only once. */
export function oneTimeSecretsIn(id: OperationId, data: Answered): readonly Secret[] {
  const { secret, method }: Declaration = operations[id]
  if (!secret || method === 'get' || typeof data !== 'object' || data === null) return []
  return Object.entries(data)
    .filter(([name]) => oneTimeFields.test(name))
    .map(([name, value]) => ({ name, text: Array.isArray(value) ? value.join('\n') : String(value) }))
}

/** A link into another address than this page's: a browser that has this page open cannot follow it by itself. */
export const OneTimeLink = ({ of: { url, expires_in }, next }: { of: Answered; next: string }) => (
  <div class="card pad stack">
    <p>{t('This link works once, within {seconds} seconds.', { seconds: expires_in })}</p>
    <pre class="secret m" id="once-url">
      <a href={outsideLink(url)} rel="noreferrer noopener" target="_blank">
        {url}
      </a>
    </pre>
    <p class="buttons">
      <CopyButton from="once-url" />
      <LinkButton href={next} label="Done" />
    </p>
  </div>
)

/** Shown once, to be copied and stored. */
export const OneTimeSecrets = ({ items, next }: { items: readonly Secret[]; next: string }) => (
  <div class="card pad stack">
    <p role="alert">{t('This is shown only now. Copy it and keep it in a safe place.')}</p>
    {items.map(({ name, text }) => (
      <div class="field">
        <span id={`once-${name}-label`}>{t(headOf(name))}</span>
        <pre class="secret m" id={`once-${name}`}>
          {name === 'url' && outsideLink(text) ? (
            <a href={outsideLink(text)} rel="noreferrer noopener" target="_blank">
              {text}
            </a>
          ) : (
            text
          )}
        </pre>
        <p class="buttons">
          <CopyButton from={`once-${name}`} />
        </p>
      </div>
    ))}
    <p class="buttons">
      <LinkButton href={next} label="I have saved it" look="main" />
    </p>
  </div>
)
