import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'

export const screens: readonly Screen[] = [
  ...crud('listDatabases', {
    path: '/mysql',
    title: 'Databases',
    one: 'database',
    member: 'database',
    name: 'name',
    nav: { group: 'sites', order: 35, count: 'databases', beside: ['/mysql/users', '/mysql/hosts'] },
    find: ['mysql', 'mariadb', 'sql', 'phpmyadmin'],
    empty: 'A database holds the data of a site. Grant users access to it.',
    acts: { createPhpMyAdminLink: { done: 'phpMyAdmin', label: 'Open phpMyAdmin', followsLink: true } },
    deletes: ['All its tables are deleted.'],
    sections: {
      users: { run: 'listDatabaseUsers', title: 'Users', to: '/mysql/{database}/users/{name}' },
      server: { run: 'getMysqlServer', title: 'Where to connect' },
    },
  }),
  {
    path: '/mysql/{database}/users/{database_user}',
    title: 'What a user may do',
    shows: 'getDatabase',
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
    empty: 'Users can sign in to the databases they have access to.',
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
