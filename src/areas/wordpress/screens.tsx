import { listAllWordpress, listWordpress } from '../../contract/wordpress.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { contentPage } from './views/content.tsx'
import { siteList, sitePage } from './views/site.tsx'

const { columns } = listWordpress.cli
const { columns: allColumns } = listAllWordpress.cli

export const screens: readonly Screen[] = [
  {
    path: '/wordpress',
    title: 'WordPress',
    one: 'WordPress site',
    shows: 'listWordpress',
    name: 'domain',
    nav: { group: 'sites', order: 15, feature: 'wordpress' },
    find: ['wp', 'blog', 'cms'],
    columns,
    to: '/wordpress/{id}',
    empty:
      'No WordPress site was found in your domains. They are looked through once a day, and when you press the button.',
    view: siteList,
    add: { to: '/wordpress/new', label: 'Install WordPress' },
    acts: { scanWordpress: { done: 'Sites are being looked for.', label: 'Look for sites' } },
  },
  {
    path: '/wordpress/new',
    title: 'Install WordPress',
    shows: 'installWordpress',
    find: ['wp', 'blog', 'cms'],
    acts: {
      installWordpress: {
        done: 'WordPress is being installed.',
        label: 'Install WordPress',
        to: '/wordpress',
        primary: ['domain_id', 'title', 'admin_user', 'admin_email', 'path'],
      },
    },
  },
  {
    path: '/wordpress/{wordpress_site}',
    title: 'WordPress site',
    one: 'WordPress site',
    shows: 'getWordpress',
    name: 'url',
    view: sitePage,
    // No job updates by these settings yet.
    hidden: ['reason', 'auto_update', 'window'],
    acts: {
      createWordpressLink: { done: 'WordPress', label: 'Sign in', only: [], followsLink: true },
      updateWordpress: {
        done: 'The site is being updated. What breaks it goes back by itself.',
        label: 'Update',
        title: 'Update WordPress, plugins and themes',
        only: ['pages'],
        when: ({ data }) => data.status === 'active',
      },
      undoWordpress: {
        done: 'The last update is being undone.',
        label: 'Undo the last update',
        confirm: ['The files of what was updated go back. The database goes back if nothing was written in it since.'],
        when: ({ data }) => data.status === 'active' || data.status === 'unhealthy',
      },
      setWordpressMaintenance: {
        done: 'The site is being closed or opened.',
        title: 'Maintenance',
        when: ({ data }) => data.status === 'active',
      },
      deleteWordpress: {
        done: 'The site is being deleted.',
        label: 'Delete the site',
        to: '/wordpress',
        recoverable: true,
        confirm: [
          "Its files go to the account's trash. In a document root, or beside another site, only WordPress's own files go.",
          'Its database is deleted only if it was made here together with the site and nothing else uses it.',
        ],
      },
    },
  },
  {
    path: '/wordpress/{wordpress_site}/content',
    title: 'Plugins, themes and users',
    shows: 'getWordpress',
    name: 'url',
    find: ['wp', 'plugin', 'theme'],
    view: contentPage,
    sections: {
      plugins: { run: 'listWordpressPlugins', mayFail: true },
      themes: { run: 'listWordpressThemes', mayFail: true },
      users: { run: 'listWordpressUsers', mayFail: true },
    },
  },
  {
    path: '/wordpress',
    title: 'WordPress',
    shows: 'listAllWordpress',
    columns: allColumns,
    to: '/accounts/{username}/wordpress/{id}',
    empty: 'No WordPress site was found yet.',
  },
]
