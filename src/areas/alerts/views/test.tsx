import { LinkButton } from '../../../web/kit/components/button.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import type { Answered } from '../../../web/kit/screen.ts'

/** What the receiver of a test message answered. */
export const testResult = ({ outcome, answer }: Answered, next: string) => (
  <div class="card pad stack">
    <p role={outcome === 'sent' ? 'status' : 'alert'}>
      {t(outcome === 'sent' ? 'The receiver has taken the test message.' : 'The test message did not arrive.')}
    </p>
    {answer === undefined ? null : <pre class="m scroll">{answer}</pre>}
    <p class="buttons">
      <LinkButton href={next} label="Back to the channel" look="main" />
    </p>
  </div>
)
