import { Fold } from '../../../web/kit/components/fold.tsx'
import { t } from '../../../web/kit/i18n/i18n.ts'
import { objectPage } from '../../../web/kit/pages/object.tsx'
import type { PageView, ViewContext } from '../../../web/kit/screen.ts'

/** How a receiver in Node verifies the panel's signature. */
const snippet = `const { createHmac, timingSafeEqual } = require('node:crypto')

function isGenuine(headers, rawBody, secret) {
  const timestamp = headers['x-panel-timestamp'] ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
  const hex = createHmac('sha256', secret).update(timestamp + '.').update(rawBody).digest('hex')
  const expected = Buffer.from('sha256=' + hex)
  const received = Buffer.from(headers['x-panel-signature'] ?? '')
  return received.length === expected.length && timingSafeEqual(received, expected)
}

module.exports = { isGenuine }
`

/** A webhook, and how its receiver verifies requests. */
export function webhookPage(view: ViewContext): PageView {
  const page = objectPage(view)
  return {
    ...page,
    body: (
      <>
        {page.body}
        <Fold title="Verify a request" open={false}>
          <div class="pad">
            <p>{t('In Node, with the body as it came, before it is parsed:')}</p>
            <pre class="m scroll" dir="ltr">
              {snippet}
            </pre>
          </div>
        </Fold>
      </>
    ),
  }
}
