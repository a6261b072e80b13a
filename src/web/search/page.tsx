import { Problem } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { fragment } from '../http/responses.ts'
import { Submit } from '../kit/components/button.tsx'
import { Code } from '../kit/components/code.tsx'
import { t } from '../kit/i18n/i18n.ts'
import type { PageView } from '../kit/screen.ts'
import { requestedFragment } from '../pages/fragments.tsx'
import { ownPage } from '../pages/match-page.ts'
import type { PageRequest } from '../pages/page-request.ts'
import type { Pages } from '../pages/pages.tsx'
import { type C, serve } from '../panel-request.ts'
import type { Hit } from './hit.ts'
import { MAX_HITS } from './hits.ts'
import { accountIn, hitsWithin } from './within.ts'

const perSecond = 10
const MAX_SESSIONS = 10_000

/** Counts each session's searches in the current second. */
class Searches {
  #second = 0
  #taken = new Map<string, number>()

  /** Whether the session may search again. */
  take(session: string, now: number): boolean {
    const second = Math.floor(now / 1000)
    if (second !== this.#second || this.#taken.size >= MAX_SESSIONS) this.#taken = new Map()
    this.#second = second
    const taken = (this.#taken.get(session) ?? 0) + 1
    this.#taken.set(session, taken)
    return taken <= perSecond
  }
}

const searches = new Searches()

/** Search results: as a page, or as the list alone for the global search box. */
export async function search(pages: Pages, c: C): Promise<Response> {
  const request = await serve(pages.screens, c, pages.panel)
  const match = ownPage(pages.panel, '/search', 'Search', { admin: 'lookup', user: 'lookupForAccount' })
  return pages.enter(request, match, (pageRequest) => answer(pages, pageRequest))
}

async function answer(pages: Pages, pageRequest: PageRequest): Promise<Response> {
  const { c, panel, session, screens } = pageRequest.request
  const text = (pageRequest.query.get('q') ?? '').trim()
  if (!searches.take(session.csrf_token ?? '', screens.now()))
    throw new Problem('rate-limited', 'You search faster than pages are looked through. Wait a second.')
  const query = new URLSearchParams(text.length < 2 ? {} : { prefix: text })
  const loaded: PageRequest = { ...pageRequest, query }
  const within = panel === 'admin' ? accountIn(pageRequest) : undefined
  const hits = await hitsWithin(loaded, within, text)
  if (requestedFragment(c) === 'hits') return fragment(screens, c, <Hits hits={hits} text={text} />)
  return pages.render(loaded, () => page(panel, text, hits, within))
}

const page = (panel: PanelName, text: string, hits: readonly Hit[], within: string | undefined): PageView => ({
  title: t('Search'),
  body: (
    <>
      <search class="filter">
        <form method="get" action={`/${panel}/search`}>
          <input
            type="search"
            name="q"
            value={text}
            maxlength={320}
            aria-label={t('Search')}
            spellcheck={false}
            autofocus
          />
          {within === undefined ? null : <input type="hidden" name="within" value={within} />}
          <Submit label="Search" look="main" />
        </form>
      </search>
      <Hits hits={hits} text={text} />
    </>
  ),
})

const Hits = ({ hits, text }: { hits: readonly Hit[]; text: string }) => (
  <section class="card" id="hits" aria-label={t('Found')}>
    <p class="pad soft" data-found="">
      {text === '' ? t('Type the beginning of a name.') : found(hits.length)}
    </p>
    <ul class="list">
      {hits.map(({ label, machine, kind, of, href }) => (
        <li>
          <a href={href}>{machine ? <Code text={label} /> : t(label)}</a>
          <span class="soft">
            {t(kind)} {of === undefined ? null : <Code text={of} />}
          </span>
        </li>
      ))}
    </ul>
  </section>
)

function found(hits: number): string {
  if (hits === 0) return t('No results.')
  return hits < MAX_HITS ? t('{count} found', { count: String(hits) }) : t('The first {count}', { count: String(hits) })
}
