import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'
import { databasePage } from './views/database.tsx'
import { dumpsPage } from './views/dumps.tsx'
import { grantPage } from './views/grant.tsx'

export const screens: readonly Screen[] = [
  ...crud('listDatabases', {
    path: '/mysql',
    title: 'Databases',
    one: 'database',
    member: 'database',
    name: 'name',
    nav: { group: 'sites', order: 35, count: 'databases', beside: ['/mysql/users', '/mysql/hosts'] },
    find: ['mysql', 'mariadb', 'sql', 'phpmyadmin'],
    primary: ['name', 'user', 'password'],
    empty:
      'A database stores the data of a site, such as the posts of a blog. The form creates it with a user that may use it.',
    acts: { createPhpMyAdminLink: { done: 'phpMyAdmin', label: 'Open phpMyAdmin', followsLink: true } },
    views: { one: databasePage },
    deletes: ['All its tables are deleted.'],
    sections: {
      users: { run: 'listDatabaseUsers' },
      server: { run: 'getMysqlServer' },
    },
  }),
  {
    path: '/mysql/{database}/dumps',
    title: 'Import and export',
    shows: 'getDatabaseDumps',
    find: ['dump', 'import', 'export', 'sql'],
    view: dumpsPage,
    downloads: { downloadDatabase: 'Download' },
    acts: {
      importDatabase: {
        done: 'The dump is being imported.',
        label: 'Import',
        only: ['path', 'replace', 'from'],
        upload: () => ({ query: {}, headers: {} }),
        insteadOfFile: ['path'],
      },
      exportDatabase: {
        done: 'The database is being exported.',
        label: 'Export',
        only: ['compression', 'path', 'overwrite'],
        primary: ['compression'],
      },
    },
  },
  {
    path: '/mysql/{database}/users/{database_user}',
    title: 'What a user may do',
    shows: 'getDatabase',
    view: grantPage,
    sections: { users: { run: 'listDatabaseUsers', query: { per_page: '500' }, quiet: true } },
    acts: {
      setDatabaseGrant: { done: 'Privileges changed.', title: 'Privileges' },
      deleteDatabaseGrant: {
        done: 'Privileges revoked.',
        label: 'Take all privileges away',
        to: '/mysql/{database}',
      },
    },
  },
  ...crud('listDatabaseUsers', {
    path: '/mysql/users',
    title: 'Database users',
    one: 'database user',
    member: 'database_user',
    name: 'name',
    empty:
      'A program signs in to a database as a database user. Add one, then grant it access on the page of a database.',
    deletes: ['Programs that sign in with it no longer can.'],
    acts: { changeDatabaseUserPassword: { done: 'Password changed.', label: 'Change password' } },
  }),
  ...crud('listDatabaseHosts', {
    path: '/mysql/hosts',
    title: 'Hosts that may connect',
    one: 'host',
    member: 'host',
    empty: 'Users connect from this server alone, until other hosts are added.',
    deletes: ['Users can no longer connect from it.'],
  }),
]
