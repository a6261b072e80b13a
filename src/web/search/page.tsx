import { Problem } from '../../contract/problem.ts'
import { fragment } from '../answers.ts'
import type { Around } from '../around.ts'
import { Submit } from '../kit/button.tsx'
import { Machine } from '../kit/machine.tsx'
import type { Screen, Shown } from '../kit/screen.ts'
import { t } from '../kit/text.ts'
import { inLanguageOf } from '../language.ts'
import type { Pages } from '../pages.tsx'
import { partAsked } from '../part.tsx'
import type { Place } from '../place.ts'
import { type C, type Served, serve } from '../served.ts'
import type { Looking } from '../visit.ts'
import type { Hit } from './hit.ts'
import { hitsFor, mostHits } from './hits.ts'
import { Searches } from './rate.ts'

const searches = new Searches()

/** What is called like what was typed: a page, or the list alone for the box that searches from everywhere. */
export async function search(pages: Pages, c: C): Promise<Response> {
  const served = await serve(pages.screens, c, pages.panel)
  const gated = await pages.signIn.gate(served)
  const place = placeOf(pages.panel)
  return gated ?? pages.guarded(served, place, (around) => answer(pages, served, place, around))
}

function placeOf(panel: Pages['panel']): Place {
  const [of, shows] = panel === 'user' ? (['account', 'lookupForAccount'] as const) : (['server', 'lookup'] as const)
  const screen: Screen = { path: '/search', of, title: 'Search', shows }
  return { screen, names: {}, of, base: `/${panel}`, below: '/search' }
}

async function answer(pages: Pages, served: Served, place: Place, around: Around): Promise<Response> {
  const { c, session, screens, url } = served
  const text = (url.searchParams.get('q') ?? '').trim()
  if (!searches.take(session.csrf_token ?? '', screens.now()))
    throw new Problem('rate-limited', 'You search faster than pages are looked through. Wait a second.')
  const query = new URLSearchParams(text.length < 2 ? {} : { prefix: text })
  const looking: Looking = { served, place, around, ids: {}, query, map: await pages.map() }
  const hits = await hitsFor(looking, text)
  if (partAsked(c) === 'hits') return fragment(screens, c, <Hits hits={hits} text={text} />)
  return pages.shown(
    looking,
    inLanguageOf(c, () => page(place, text, hits)),
  )
}

const page = ({ base }: Place, text: string, hits: readonly Hit[]): Shown => ({
  title: t('Search'),
  body: (
    <>
      <search class="filter">
        <form method="get" action={`${base}/search`}>
          <input
            type="search"
            name="q"
            value={text}
            maxlength={320}
            aria-label={t('Search')}
            spellcheck={false}
            autofocus
          />
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
          <a href={href}>{machine ? <Machine text={label} /> : t(label)}</a>
          <span class="soft">
            {t(kind)} {of === undefined ? null : <Machine text={of} />}
          </span>
        </li>
      ))}
    </ul>
  </section>
)

function found(hits: number): string {
  if (hits === 0) return t('Nothing has a name like this.')
  return hits < mostHits ? t('{count} found', { count: String(hits) }) : t('The first {count}', { count: String(hits) })
}
