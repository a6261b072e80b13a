import { locales, themes } from '../contract/accounts.ts'
import { redirect } from './answers.ts'
import { comesFromHere, csrfFor, refuseForeign } from './csrf.ts'
import { Submit } from './kit/button.tsx'
import type { Control, Field, Option } from './kit/field.ts'
import { FieldBox } from './kit/fields.tsx'
import { Trouble } from './kit/form.tsx'
import { optionLabel } from './kit/label.ts'
import type { Shown } from './kit/screen.ts'
import { t } from './kit/text.ts'
import { tongue } from './kit/value-words.ts'
import { isTranslated } from './language.ts'
import type { Looking } from './looking.ts'
import type { Pages } from './pages.tsx'
import { ownPlace, type Place } from './place.ts'
import { anotherSession, isOfSession } from './posting.tsx'
import { type Preferences, preferencesIn, preferencesOf, preferring } from './preferences.ts'
import { type C, type Served, serve } from './served.ts'
import { refusalOf } from './visit.ts'

/** Display preferences of this browser, for users without an account that stores them. */
export async function display(pages: Pages, c: C): Promise<Response> {
  const served = await serve(pages.screens, c, pages.panel)
  return pages.enter(served, placeOf(pages), (looking) => answer(pages, looking))
}

export async function setDisplay(pages: Pages, c: C): Promise<Response> {
  refuseForeign(c)
  const form = await pages.screens.form(c, pages.panel)
  const served = await serve(pages.screens, c, pages.panel)
  const gated = await pages.signIn.gate(served)
  if (gated) return gated
  if (isOfSession(served.session, form))
    return redirect(pages.screens, `/${pages.panel}/display?saved=1`, 303, { 'Set-Cookie': preferring(form) })
  return pages.guarded(served, placeOf(pages), (looking) => answer(pages, looking, form))
}

const placeOf = ({ panel }: Pages): Place =>
  ownPlace(panel, '/display', 'Display', { admin: 'getSession', user: 'getUserSession' })

/** The page; shown again with the choices if its form is from another session. */
async function answer(pages: Pages, looking: Looking, refused?: URLSearchParams): Promise<Response> {
  const { served, query } = looking
  const isSaved = query.has('saved') && comesFromHere(served.c)
  return pages.shown(looking, () => page(served, refused, isSaved), { status: refused && 403 })
}

const page = ({ c, session, panel }: Served, refused: URLSearchParams | undefined, isSaved: boolean): Shown => ({
  title: t('Display'),
  lead: t('Stored in this browser only.'),
  body: (
    <>
      {isSaved ? (
        <p class="notice good" role="status">
          {t('Saved.')}
        </p>
      ) : null}
      <Trouble of={refused && refusalOf(anotherSession(session))} />
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

function fieldsOf(panel: Pages['panel'], { theme, locale, say }: Preferences): Field[] {
  const ofAccount = [
    chosen('theme', 'Theme', themes.map(option), theme ?? 'default'),
    chosen('locale', 'Language', [{ value: '', label: "The browser's" }, ...languages()], locale ?? ''),
  ]
  const bar = chosen('say', 'Commands at the foot of pages', ways, say ?? 'panel')
  return panel === 'user' ? [bar] : [...ofAccount, bar]
}

const option = (value: string): Option => ({ value, label: optionLabel(value, 'theme') })
const languages = (): Option[] =>
  locales.filter(isTranslated).map((value) => ({ value, label: tongue(value), named: true }))
const ways: readonly Option[] = [
  { value: 'panel', label: 'panel' },
  { value: 'curl', label: 'curl' },
  { value: 'none', label: 'Hidden' },
]

function chosen(name: string, label: string, options: readonly Option[], value: string): Field {
  const control: Control = { kind: 'choice', as: 'radios', options, value }
  return { name, label, control }
}
