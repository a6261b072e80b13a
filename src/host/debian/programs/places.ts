import type { ProgramName } from '../../programs.ts'

/** A program, the user that it runs as, and where it keeps what it is told. */
export interface ProgramPlace {
  readonly user: string
  readonly folder: string
}

export const programPlaces: Readonly<Record<ProgramName, ProgramPlace>> = {
  phpmyadmin: { user: 'panel-pma', folder: '/var/lib/panel-phpmyadmin' },
  webmail: { user: 'panel-webmail', folder: '/var/lib/panel-webmail' },
}

/** Where the program looks for links, by the SHA-256 of their tokens. */
export const linksIn = ({ folder }: ProgramPlace): string => `${folder}/links`

/** What each program takes links with; there once the program is set up. */
export const openers: Readonly<Record<ProgramName, string>> = {
  phpmyadmin: '/var/lib/panel-phpmyadmin/open.php',
  webmail: '/var/lib/roundcube/plugins/panel/panel.php',
}

/** What webmail keeps of mailboxes: sessions, address books, signatures. */
export const webmailDatabase = `${programPlaces.webmail.folder}/data/roundcube.db`

/** Log-ins of webmail sessions, which Dovecot reads. */
export const webmailLogins = '/etc/panel/mail/webmail'
