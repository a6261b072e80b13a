import type { Child } from 'hono/jsx'
import { count } from '../../kit/format/format.ts'
import { hrefTo } from '../../kit/format/href.ts'
import { t } from '../../kit/i18n/i18n.ts'
import type { Group } from '../../kit/screen.ts'
import { currentOf, navigationOf, type PageReader, type Room, type Section } from './navigation.ts'

export const navigationBar = (reader: PageReader, rooms: readonly Room[], base: string): Child => (
  <Navigation
    sections={navigationOf(reader, rooms, currentOf(rooms, reader.currentPath))}
    base={base}
    headings={reader.session.is_root === true ? headingsOfRoot : headings}
  />
)

const headings = {
  main: '',
  sites: 'Sites',
  mail: 'Mail',
  account: 'Account',
  work: 'Work',
  connect: 'Connect',
  server: 'Mail and brand',
} as const

/** A reseller's pages of this group are not the server's. */
const headingsOfRoot = { ...headings, server: 'Server' } as const

interface Props {
  readonly sections: readonly Section[]
  readonly base: string
  readonly headings: Readonly<Record<Group, string>>
}

const Navigation = ({ sections, base, headings }: Props) => (
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
