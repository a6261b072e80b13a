import type { Child } from 'hono/jsx'
import { memoize } from '../../../shared/memoize.ts'
import { count } from '../../kit/format/format.ts'
import { hrefTo } from '../../kit/format/href.ts'
import { drawn } from '../../kit/html/html.ts'
import { languageNow, t } from '../../kit/i18n/i18n.ts'
import { currentOf, figuresOf, navigationOf, type PageReader, type Room, type Section } from './navigation.ts'

const known = new WeakMap<readonly Room[], Map<string, Child>>()

/** Renders the navigation once for all users with the same permissions, language, location and figures. */
export function navigationBar(reader: PageReader, rooms: readonly Room[], base: string): Child {
  const current = currentOf(rooms, reader.currentPath)
  const key = JSON.stringify([languageNow().locale, base, current?.first.path, figuresOf(rooms, reader)])
  const own = known.get(rooms) ?? new Map<string, Child>()
  known.set(rooms, own)
  return memoize(own, key, () => drawn(<Navigation sections={navigationOf(reader, rooms, current)} base={base} />))
}

const headings = {
  main: '',
  sites: 'Sites',
  mail: 'Mail',
  account: 'Account',
  work: 'Work',
  connect: 'Connect',
  server: 'Server',
} as const

const Navigation = ({ sections, base }: { sections: readonly Section[]; base: string }) => (
  <nav class="nav" id="nav" aria-label={t('Pages')}>
    <a class="close button" href="#main">
      {t('Close the menu')}
    </a>
    {sections.map(({ group, entries }) => (
      <>
        {headings[group] === '' ? null : <h2>{t(headings[group])}</h2>}
        <ul>
          {entries.map(({ label, path, count: figure, current }) => (
            <li>
              <a href={hrefTo(base, path)} {...(current ? { 'aria-current': 'page' } : {})}>
                {t(label)}
                {figure === undefined ? null : <small>{count(figure)}</small>}
              </a>
            </li>
          ))}
        </ul>
      </>
    ))}
  </nav>
)
