import { Problem } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { fragment } from '../answers.ts'
import { Submit } from '../kit/button.tsx'
import { Machine } from '../kit/machine.tsx'
import type { Shown } from '../kit/screen.ts'
import { t } from '../kit/text.ts'
import type { Looking } from '../looking.ts'
import type { Pages } from '../pages.tsx'
import { partAsked } from '../part.tsx'
import { ownPlace } from '../place.ts'
import { type C, serve } from '../served.ts'
import type { Hit } from './hit.ts'
import { hitsFor, mostHits } from './hits.ts'
import { Searches } from './rate.ts'

const searches = new Searches()

/** Search results: as a page, or as the list alone for the global search box. */
export async function search(pages: Pages, c: C): Promise<Response> {
  const served = await serve(pages.screens, c, pages.panel)
  const place = ownPlace(pages.panel, '/search', 'Search', { admin: 'lookup', user: 'lookupForAccount' })
  return pages.enter(served, place, (looking) => answer(pages, looking))
}

async function answer(pages: Pages, asked: Looking): Promise<Response> {
  const { c, panel, session, screens } = asked.served
  const text = (asked.query.get('q') ?? '').trim()
  if (!searches.take(session.csrf_token ?? '', screens.now()))
    throw new Problem('rate-limited', 'You search faster than pages are looked through. Wait a second.')
  const query = new URLSearchParams(text.length < 2 ? {} : { prefix: text })
  const looking: Looking = { ...asked, query }
  const hits = await hitsFor(looking, text)
  if (partAsked(c) === 'hits') return fragment(screens, c, <Hits hits={hits} text={text} />)
  return pages.shown(looking, () => page(panel, text, hits))
}

const page = (panel: PanelName, text: string, hits: readonly Hit[]): Shown => ({
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
  if (hits === 0) return t('No results.')
  return hits < mostHits ? t('{count} found', { count: String(hits) }) : t('The first {count}', { count: String(hits) })
}
