import { crud } from '../../web/kit/crud.ts'
import type { Screen } from '../../web/kit/screen.ts'

export const screens: readonly Screen[] = [
  ...crud('listFtpAccounts', {
    path: '/ftp',
    title: 'FTP accounts',
    one: 'FTP account',
    member: 'ftp_account',
    name: 'login',
    nav: {
      group: 'account',
      order: 20,
      label: 'FTP and SSH',
      count: 'ftp_accounts',
      beside: ['/ftp/sessions', '/ssh', '/ssh/keys'],
    },
    find: ['sftp', 'upload', 'login'],
    empty: 'An FTP account signs in by FTP, FTPS and SFTP, and sees one directory.',
    deletes: ['Its files stay. Its open sessions end.'],
    acts: { changeFtpPassword: { done: 'Password changed.', label: 'Change password' } },
    sections: { server: { run: 'getFtpServer', title: 'Where to connect' } },
  }),
  {
    path: '/ftp/sessions',
    title: 'Open sessions',
    shows: 'listFtpSessions',
    empty: 'Here is who is connected by FTP now, and what is being transferred. There are no connections now.',
  },
]
