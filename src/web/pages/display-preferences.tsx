import { locales, themes } from '../../contract/accounts.ts'
import { anotherSession, isOfSession } from '../forms/submit-form.tsx'
import { csrfFor, isSameOrigin, refuseForeign } from '../http/csrf.ts'
import { isTranslated } from '../http/language.ts'
import { type Preferences, preferencesIn, preferencesOf, preferring } from '../http/preferences.ts'
import { redirect } from '../http/responses.ts'
import { Submit } from '../kit/components/button.tsx'
import type { Control, FormField, Option } from '../kit/forms/field.ts'
import { FieldBox } from '../kit/forms/fields.tsx'
import { FormError } from '../kit/forms/form.tsx'
import { t } from '../kit/i18n/i18n.ts'
import { optionLabel } from '../kit/i18n/label.ts'
import { tongue } from '../kit/i18n/value-words.ts'
import type { PageView } from '../kit/screen.ts'
import { type C, type PanelRequest, serve } from '../panel-request.ts'
import { ownPage, type PageMatch } from './match-page.ts'
import type { PageRequest } from './page-request.ts'
import type { Pages } from './pages.tsx'
import { refusalOf } from './view-context.ts'

/** Display preferences of this browser, for users without an account that stores them. */
export async function display(pages: Pages, c: C): Promise<Response> {
  const request = await serve(pages.screens, c, pages.panel)
  return pages.enter(request, matchOf(pages), (pageRequest) => answer(pages, pageRequest))
}

export async function setDisplay(pages: Pages, c: C): Promise<Response> {
  refuseForeign(c)
  const form = await pages.screens.form(c, pages.panel)
  const request = await serve(pages.screens, c, pages.panel)
  const gated = await pages.signIn.gate(request)
  if (gated) return gated
  if (isOfSession(request.session, form))
    return redirect(pages.screens, `/${pages.panel}/display?saved=1`, 303, { 'Set-Cookie': preferring(form) })
  return pages.guarded(request, matchOf(pages), (pageRequest) => answer(pages, pageRequest, form))
}

const matchOf = ({ panel }: Pages): PageMatch =>
  ownPage(panel, '/display', 'Display', { admin: 'getSession', user: 'getUserSession' })

/** The page; shown again with the choices if its form is from another session. */
async function answer(pages: Pages, pageRequest: PageRequest, refused?: URLSearchParams): Promise<Response> {
  const { request, query } = pageRequest
  const isSaved = query.has('saved') && isSameOrigin(request.c)
  return pages.render(pageRequest, () => page(request, refused, isSaved), { status: refused && 403 })
}

const page = (
  { c, session, panel }: PanelRequest,
  refused: URLSearchParams | undefined,
  isSaved: boolean,
): PageView => ({
  title: t('Display'),
  lead: t('Stored in this browser only.'),
  body: (
    <>
      {isSaved ? (
        <p class="notice good" role="status">
          {t('Saved.')}
        </p>
      ) : null}
      <FormError of={refused && refusalOf(anotherSession(session))} />
      <form method="post" action={`/${panel}/display`} class="fields card pad" data-once="">
        <input type="hidden" name="csrf_token" value={csrfFor(session)} />
        {fieldsOf(panel, refused ? preferencesIn(refused) : preferencesOf(c)).map((field) => (
          <FieldBox field={field} form="display" />
        ))}
        {panel === 'user' ? (
          <p class="help">
            <a href="/user/settings">{t('Theme and language are settings of your account.')}</a>
          </p>
        ) : null}
        <p class="buttons">
          <Submit label="Save" look="main" />
        </p>
      </form>
    </>
  ),
})

function fieldsOf(panel: Pages['panel'], { theme, locale, say }: Preferences): FormField[] {
  const ofAccount = [
    chosen('theme', 'Theme', themes.map(option), theme ?? 'default'),
    chosen('locale', 'Language', [{ value: '', label: "The browser's" }, ...languages()], locale ?? ''),
  ]
  const bar = chosen('say', 'Commands at the foot of pages', COMMAND_FORMATS, say ?? 'panel')
  return panel === 'user' ? [bar] : [...ofAccount, bar]
}

const option = (value: string): Option => ({ value, label: optionLabel(value, 'theme') })
const languages = (): Option[] =>
  locales.filter(isTranslated).map((value) => ({ value, label: tongue(value), named: true }))
const COMMAND_FORMATS: readonly Option[] = [
  { value: 'panel', label: 'panel' },
  { value: 'curl', label: 'curl' },
  { value: 'none', label: 'Hidden' },
]

function chosen(name: string, label: string, options: readonly Option[], value: string): FormField {
  const control: Control = { kind: 'choice', as: 'radios', options, value }
  return { name, label, control }
}
