import { z } from 'zod'
import { component } from './common.ts'
import { operation } from './operation.ts'
import { access, area, columns, ended, member, WordpressAccepted } from './wordpress.ts'

const Slug = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/, 'must be the name of its directory')
const slugs = z.union([z.literal('all'), z.array(Slug).min(1).max(100)]).optional()

export const wordpressUpdate = {
  core: z
    .union([
      z.literal(true),
      z.string().regex(/^(?:true|\d{1,2}(?:\.\d{1,3}){1,2})$/, 'must be `true` or a version such as 6.8.1'),
    ])
    .optional()
    .describe('WordPress itself: `true` for the newest version, or a newer version than the installed one'),
  plugins: slugs.describe('Plugins by their slugs, at most 100, or `all`'),
  themes: slugs.describe('Themes by their slugs, at most 100, or `all`'),
  safe: z.boolean().optional().describe('Checks pages before and after each update, and undoes what breaks one (true)'),
  pages: z
    .array(z.string().regex(/^\/[!-"$-~]{0,500}$/, 'must be a path such as /shop/'))
    .max(10)
    .optional()
    .describe('Paths below the site that are checked besides its home page'),
}

export const updateWordpress = operation({
  id: 'updateWordpress',
  method: 'post',
  path: '/accounts/{id}/wordpress/{wid}/update',
  area,
  summary: 'Update WordPress, its plugins and its themes',
  description:
    "What can be updated, if nothing is named. New files come from the setting `wordpress_source` and are unpacked beside the site; then one plugin, theme or core after the other is put in the place of the old one. With `safe`, the site's pages are asked for before and after each: if PHP fails, or a page's status, title, size or words differ, that one goes back, and the others stay. The job then fails and names it. The database goes back only if tables that hold posts, users, comments, orders or entries did not change during the update. For seven days `undoWordpress` brings the site back before the update.",
  params: member,
  body: component('UpdateWordpress', z.strictObject(wordpressUpdate)),
  status: 202,
  answer: WordpressAccepted,
  job: 'wordpress.update',
  emits: ended,
  problems: ['busy', 'suspended'],
  ...access,
  feature: 'wordpress',
  cli: {
    words: ['wordpress', 'update'],
    variant: 'account',
    columns,
    show: 'site',
    examples: [
      'panel wordpress update shop.example',
      'panel wordpress update shop.example --core true --plugins all --pages /shop/,/contact/',
      'panel wordpress update shop.example --plugins akismet --no-safe',
    ],
  },
})

export const undoWordpress = operation({
  id: 'undoWordpress',
  method: 'post',
  path: '/accounts/{id}/wordpress/{wid}/undo',
  area,
  summary: 'Undo the last update of a WordPress site',
  description:
    'For seven days after it. The files of what was updated go back. The database goes back only if there was no change since in tables that hold posts, users, comments, orders or entries; the log of the job says so.',
  params: member,
  status: 202,
  answer: WordpressAccepted,
  job: 'wordpress.undo',
  emits: ended,
  problems: ['busy', 'suspended', 'release-unavailable'],
  ...access,
  feature: 'wordpress',
  cli: {
    words: ['wordpress', 'undo'],
    variant: 'account',
    columns,
    show: 'site',
    examples: ['panel wordpress undo shop.example'],
  },
})
