import type { Child } from 'hono/jsx'
import { html } from '../../http/responses.ts'
import { type C, json, type Screens } from '../../panel-request.ts'
import { Brand } from '../../sign-in/forms.tsx'

/** A page before sign-in, or an error page, with the brand of the reseller that owns the requested host name. */
export async function branded(
  screens: Screens,
  c: C,
  node: Child,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const brand = json(await screens.perform(c, 'getSignInBrand'))
  return html(screens, c, <Brand.Provider value={brand}>{node}</Brand.Provider>, status, headers)
}
